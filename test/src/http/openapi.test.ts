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
      for (const body of bodies) expect(body, operationId).to.have.property('example')
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
    const { Config, Problem } = document.components.schemas
    for (const [name, { description }] of Object.entries<{ description?: string }>(Config.properties))
      expect(description, name).to.match(/^[A-Z].*\.$/)
    expect(Config.properties.limits.description).to.contain('code points').and.to.contain('maxlength')
    expect(Problem.properties.errors.items.oneOf[0].properties.field.description).to.contain('`body`')
    const { Location } = document.paths['/api/snippets/'].post.responses['201'].headers
    expect(Location.description).to.contain('relative to the URL of the request')
  })

  it('requires Retry-After in a 409 only, because a 503 of a search has none', async () => {
    const { document } = await read()
    const { 409: inUse, 503: unavailable } = document.paths['/api/snippets/'].post.responses
    const required = [inUse, unavailable].map(
      ({ $ref }) => document.components.responses[$ref.split('/').at(-1)].headers['Retry-After'].required,
    )
    expect(required).to.deep.equal([true, false])
  })

  it('names the problems that the use case and the readers of each operation can cause', async () => {
    const { operations } = await read()
    const problemsOf = (id: string): readonly string[] => {
      const [, operation] = operations.find(([, { operationId }]) => operationId === id) ?? []
      const names = Object.values(operation?.responses ?? {}).map(({ $ref = '' }) => $ref.split('/').at(-1) ?? '')
      return names.flatMap(name => name.split('Or')).filter(name => name !== '' && !common.includes(name))
    }
    const common = ['BadRequest', 'ExpectationFailed', 'Internal', 'Overloaded', 'Unavailable', 'Rejected']
    const query = ['InvalidQuery', 'QueryTooLong']
    expect(problemsOf('showConfig')).to.deep.equal([])
    expect(problemsOf('listSnippets')).to.have.members([...query])
    expect(problemsOf('listUsers')).to.have.members([...query])
    expect(problemsOf('listGeneratedSnippets')).to.have.members([...query, 'SearchTooBroad'])
    expect(problemsOf('retrieveUser')).to.have.members(['NotFound'])
    const write = ['OutcomeUnknown']
    const body = ['MalformedBody', 'InvalidBody', 'BodyTooLarge', 'UnsupportedMediaType']
    for (const kind of ['Snippet', 'GeneratedSnippet']) {
      expect(problemsOf(`retrieve${kind}`)).to.have.members(['NotFound', 'PreconditionFailed'])
      expect(problemsOf(`delete${kind}`)).to.have.members(['NotFound', 'PreconditionFailed', ...write])
      const updated = ['NotFound', 'PreconditionFailed', 'StorageFull', ...write, ...body]
      expect(problemsOf(`update${kind}`)).to.have.members(updated)
      const keys = ['IdempotencyKeyInUse', 'IdempotencyKeyReused', 'IdempotencyKeyUnavailable']
      const createdOnce = [...keys, 'IdsExhausted', 'StorageFull', ...write, ...body]
      expect(problemsOf(`create${kind}`)).to.have.members(createdOnce)
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
