import { createConfig, lintFromString } from '@redocly/openapi-core'
import { hashToken } from '@snippets/adapters-http/access/token.js'
import { snippetQuery, windowQuery } from '@snippets/adapters-http/request/list-query.js'
import { contentFieldNames, contentFields } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import type { ServiceOptions } from '../support/service/in-process.js'
import { servicePerTest } from '../support/service/mocha-service.js'

type Body = Readonly<{ $ref?: string; content?: Readonly<Record<string, object>> }>
type Operation = Readonly<{
  operationId: string
  summary: string
  tags?: readonly string[]
  requestBody?: Body
  responses: Readonly<Record<string, Body>>
  security?: unknown
}>

const tokens = [{ name: 'ada', scope: 'write', hash: hashToken('of-ada') }] as const

describe('The OpenAPI document', () => {
  const start = servicePerTest()
  const read = async (options: ServiceOptions = {}) => {
    const { url } = await start(options)
    const text = await (await fetch(`${url}/api/schema/`, { headers: { Authorization: 'Bearer of-ada' } })).text()
    const document = JSON.parse(text)
    const paths: readonly Readonly<Record<string, Operation>>[] = Object.values(document.paths)
    return { text, document, operations: paths.flatMap(path => Object.entries(path)) }
  }

  for (const options of [{}, { tokens }])
    it(`passes the strict rules of Redocly except for trailing slashes, ${'tokens' in options ? 'with' : 'without'} tokens`, async () => {
      const rules = { 'no-path-trailing-slash': 'off' } as const
      const config = await createConfig({ extends: ['recommended-strict'], rules })
      const { text } = await read(options)
      const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
      expect(problems.map(({ ruleId, message }) => [ruleId, message])).to.deep.equal([])
    })

  it('has a summary, a declared tag and an example of every body for each operation', async () => {
    const { document, operations } = await read()
    const declared = document.tags.map(({ name }: { name: string }) => name)
    expect(operations).to.have.length(16)
    for (const [, { operationId, summary, tags: [tag] = [], requestBody, responses }] of operations) {
      expect(summary, operationId).to.match(/^[A-Z].*[a-z]$/)
      expect(declared, operationId).to.include(tag)
      const bodies = [requestBody, ...Object.values(responses)].flatMap(body => Object.values(body?.content ?? {}))
      for (const body of bodies) expect(body, operationId).to.have.any.keys('example', 'examples')
    }
  })

  it('has the limits of every field, in responses and in both kinds of body, and the names of the list parameters', async () => {
    const { document } = await read()
    const { schemas } = document.components
    for (const schema of ['Snippet', 'SnippetContent', 'SnippetChanges'])
      for (const field of contentFieldNames)
        expect(schemas[schema].properties[field], field).to.deep.include(contentFields[field].schema)
    for (const [path, { names }] of [
      ['/api/snippets-viewset/', snippetQuery],
      ['/api/users/', windowQuery],
    ] as const) {
      const parameters: readonly { name: string; in: string }[] = document.paths[path].get.parameters
      expect(parameters.flatMap(({ name, in: place }) => (place === 'query' ? [name] : []))).to.deep.equal(names)
    }
  })

  it('describes the limits, the fields of errors and Location', async () => {
    const { document } = await read()
    const { Config, BodyProblem } = document.components.schemas
    for (const [name, { description }] of Object.entries<{ description?: string }>(Config.properties))
      expect(description, name).to.match(/^[A-Z].*\.$/)
    expect(Config.properties.limits.description).to.contain('code points').and.to.contain('maxlength')
    expect(BodyProblem.properties.errors.items.properties.field.description).to.contain('`body`')
    const { Location } = document.paths['/api/snippets/'].post.responses['201'].headers
    expect(Location.description).to.contain('relative to the URL of the request')
  })

  it('states the problems that the readers of an operation can cause, with all of their status, and a default', async () => {
    const { document, operations } = await read()
    const typesIn = (response: Body): readonly string[] =>
      JSON.stringify(response.$ref?.split('/').reduce((part, key) => (key === '#' ? part : part[key]), document)).match(
        /(?<="value":\{"type":"urn:snippets:)[\w-]+/g,
      ) ?? []
    const problemsOf = (id: string) => {
      const [, operation] = operations.find(([, { operationId }]) => operationId === id) ?? []
      const stated = Object.entries(operation?.responses ?? {}).filter(([status]) => !/[23]..|default/.test(status))
      expect(operation?.responses.default, id).to.deep.equal({ $ref: '#/components/responses/Problem' })
      return stated.flatMap(([, response]) => typesIn(response))
    }
    const query = ['bad-request', 'invalid-query']
    expect(problemsOf('listSnippets')).to.deep.equal(query)
    expect(problemsOf('listUsers')).to.deep.equal(query)
    const expensive = ['unavailable', 'overloaded', 'search-too-broad']
    expect(problemsOf('listGeneratedSnippets')).to.deep.equal([...query, ...expensive])
    expect(problemsOf('retrieveUser')).to.deep.equal(['not-found'])
    const body = ['malformed-body', 'invalid-body', 'body-too-large', 'unsupported-media-type']
    const item = ['bad-request', 'not-found', 'precondition-failed']
    for (const kind of ['Snippet', 'GeneratedSnippet']) {
      expect(problemsOf(`retrieve${kind}`)).to.have.members(item)
      expect(problemsOf(`delete${kind}`)).to.have.members(item)
      expect(problemsOf(`update${kind}`)).to.have.members([...item, ...body])
      const keys = ['idempotency-key-in-use', 'idempotency-key-reused']
      expect(problemsOf(`create${kind}`)).to.have.members(['bad-request', ...keys, ...body])
    }
  })

  it('names the scope and the token problems of each operation when tokens are required', async () => {
    const { document, operations } = await read({ tokens })
    expect(document.security).to.deep.equal([{ token: ['read'] }])
    expect(document.components.securitySchemes.token).to.include({ type: 'http', scheme: 'bearer' })
    for (const [method, { operationId, security, responses }] of operations) {
      expect(security, operationId).to.deep.equal(method === 'get' ? undefined : [{ token: ['write'] }])
      expect(Object.keys(responses), operationId).to.include('401')
      expect('403' in responses, operationId).to.equal(method !== 'get')
    }
  })

  it('does not mention tokens when none are required', async () => {
    const { document } = await read()
    expect(document.security).to.deep.equal([])
    expect(document.components).to.not.have.property('securitySchemes')
    expect(JSON.stringify(document.paths)).to.not.match(/Unauthorized|"security"/)
  })
})
