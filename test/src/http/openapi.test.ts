import { createConfig, lintFromString } from '@redocly/openapi-core'
import { hashToken } from '@snippets/adapters-http/middleware/tokens.js'
import { problemComponents } from '@snippets/adapters-http/openapi/problem-responses.js'
import { contentFieldNames, contentFields } from '@snippets/domain/entities/snippet.js'
import { Ruleset, Spectral } from '@stoplight/spectral-core'
import { or, truthy } from '@stoplight/spectral-functions'
import { oas } from '@stoplight/spectral-rulesets'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { fieldValues } from '../support/samples.js'
import { type ServiceOptions, threeUsers } from '../support/service/in-process.js'
import { servicePerTest } from '../support/service/mocha-service.js'

type Body = Readonly<{ $ref?: string; content?: Readonly<Record<string, { example?: unknown }>> }>
type Parameter = Readonly<{ name: string; in: string; example?: unknown }>
type Operation = Readonly<{
  operationId: string
  parameters?: readonly Parameter[]
  requestBody?: Body
  responses: Readonly<Record<string, Body>>
  security?: unknown
}>

const tokens = [{ name: 'ada', scope: 'write', hash: hashToken('of-ada') }] as const

const json = 'application/json'
const exampleTime = Date.parse('2026-01-02T03:04:05.678Z')

/** The rules that do not fit, and why. */
const rulesOff = {
  'info-contact': 'whoever operates the service is the contact',
  'path-keys-no-trailing-slash': 'the specification ends every path with a slash',
  'oas3-operation-security-defined': 'OpenAPI 3.1 allows roles for every scheme',
}

// biome-ignore lint/suspicious/noThenProperty: Spectral names it so
const only = <A>(check: A): Readonly<{ then: A }> => ({ then: check })

describe('The OpenAPI document', () => {
  const start = servicePerTest()
  const read = async (options: ServiceOptions = {}) => {
    const { url } = await start(options)
    const text = await (await fetch(`${url}/api/schema/`, { headers: { Authorization: 'Bearer of-ada' } })).text()
    const document = JSON.parse(text)
    const paths = Object.entries<Readonly<Record<string, Operation>>>(document.paths)
    const operations = paths.flatMap(([path, all]) =>
      Object.entries(all).map(([method, operation]) => [method.toUpperCase(), operation, path] as const),
    )
    return { text, document, operations }
  }

  it('passes the strict rules of Redocly except for trailing slashes', async () => {
    const rules = { 'no-path-trailing-slash': 'off' } as const
    const config = await createConfig({ extends: ['recommended-strict'], rules })
    const { text } = await read({ tokens })
    const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
    expect(problems.map(({ ruleId, message }) => [ruleId, message])).to.deep.equal([])
  })

  it('passes the rules of Spectral except those in rulesOff, and describes and types every part', async () => {
    const { document } = await read({ tokens })
    const spectral = new Spectral()
    const off = Object.fromEntries(Object.keys(rulesOff).map(rule => [rule, 'off'] as const))
    const parts = ['schemas', 'properties', 'headers', 'parameters'].map(name => `$..${name}[*]`)
    const described = { given: parts, ...only({ field: 'description', function: truthy }) }
    const schemas = ['$..schemas[*]', '$..properties[*]', '$..schema']
    const typed = { given: schemas, ...only({ function: or, functionOptions: { properties: ['type', 'oneOf'] } }) }
    spectral.setRuleset(new Ruleset({ extends: [oas], rules: { ...off, described, typed } }))
    const problems = await spectral.run(document)
    expect(problems.map(({ code, path, message }) => [code, path.join('.'), message])).to.deep.equal([])
  }).timeout(60_000)

  it('has examples that succeed when one request sends all those of its operation', async () => {
    const { document, operations } = await read()
    for (const [method, { operationId, parameters = [], requestBody }, path] of operations) {
      const { url, client } = await start({ users: threeUsers })
      await client.post('/api/snippets/', document.paths['/api/snippets/'].post.requestBody.content[json].example)
      const examples = parameters.filter(({ example }) => example !== undefined)
      const inPlace = (place: string): Record<string, string> =>
        Object.fromEntries(
          examples.filter(({ in: at }) => at === place).map(({ name, example }) => [name, `${example}`]),
        )
      const target = path.replace(/\{(\w+)\}/g, (_, name) => inPlace('path')[name] ?? '')
      for (const [type, body] of Object.entries(requestBody?.content ?? { none: {} })) {
        const query = new URLSearchParams(inPlace('query'))
        const response = await fetch(`${url}${target}?${query}`, {
          method,
          headers: { ...inPlace('header'), ...(requestBody && { 'Content-Type': type }) },
          ...(requestBody && { body: JSON.stringify(body.example) }),
        })
        expect(response.status, `${operationId} ${await response.text()}`).to.be.oneOf([200, 201, 204])
      }
    }
  })

  it('shows as the example of a list the page that the service returns', async () => {
    const { url, client } = await start({ users: threeUsers.slice(0, 1), clock: { now: () => exampleTime } })
    const read = async (page: string) => JSON.parse(await (await fetch(page)).text())
    const document = await read(`${url}/api/schema/`)
    for (const path of ['/api/snippets-viewset/', '/api/users/']) {
      const { example } = document.paths[path].get.responses['200'].content[json]
      if (path !== '/api/users/')
        for (const { id, created_at, ...content } of example.results) await client.post(path, content)
      expect(await read(`${url}${path}`)).to.deep.equal(example)
    }
  })

  it('describes exactly the values that each field accepts, in responses and in both kinds of body', async () => {
    const { schemas } = (await read()).document.components
    for (const field of contentFieldNames) {
      const describing = ['Snippet', 'SnippetContent', 'SnippetChanges'].map(name =>
        new Ajv2020().compile(schemas[name].properties[field]),
      )
      const { max } = contentFields[field].limits
      const wrong = fc.constantFrom('', 'x'.repeat(max + 1), '😀'.repeat(max + 1))
      fc.assert(
        fc.property(fc.oneof(fieldValues[field], wrong, fc.jsonValue()), value => {
          const isValid = contentFields[field].is(value)
          expect(describing.map(isDescribed => isDescribed(value))).to.deep.equal([isValid, isValid, isValid])
        }),
      )
    }
  })

  it('states the scope of each operation, the problems that it can cause, and a default', async () => {
    const { document, operations } = await read({ tokens })
    expect(document.security).to.deep.equal([{ token: ['read'] }])
    expect(document.components.securitySchemes.token).to.include({ type: 'http', scheme: 'bearer' })
    const typesIn = ({ $ref = '' }: Body): readonly string[] =>
      JSON.stringify(document.components.responses[$ref.split('/').at(-1) ?? '']).match(
        /(?<="value":\{"type":"urn:snippets:)[\w-]+/g,
      ) ?? []
    const stated: Record<string, string> = {}
    for (const [method, { operationId, security, responses }] of operations) {
      expect(security, operationId).to.deep.equal(method === 'GET' ? undefined : [{ token: ['write'] }])
      const { default: other, ...problems } = Object.fromEntries(
        Object.entries(responses).filter(([status]) => !/[23]../.test(status)),
      )
      expect(other, operationId).to.deep.equal({ $ref: '#/components/responses/Problem' })
      stated[operationId] = Object.values(problems).flatMap(typesIn).join(' ')
    }
    const body = 'bad-request malformed-body invalid-body unauthorized forbidden'
    expect(stated).to.include({
      listAllSnippets: 'bad-request invalid-query unauthorized',
      listSnippets: 'bad-request invalid-query unauthorized unavailable overloaded search-too-broad',
      createSnippet: `${body} idempotency-key-in-use body-too-large unsupported-media-type idempotency-key-reused`,
      getSnippet: 'bad-request unauthorized not-found precondition-failed',
      replaceSnippet: `${body} not-found precondition-failed body-too-large unsupported-media-type`,
      deleteSnippet: 'bad-request unauthorized forbidden not-found precondition-failed',
      listUsers: 'bad-request invalid-query unauthorized',
      getUser: 'bad-request unauthorized not-found precondition-failed',
    })
  })

  it('is not made when two different responses would have the same name', () => {
    expect(() => problemComponents([['bad-request', 'invalid-query'], ['invalid-query']])).to.throw(
      'two responses are named InvalidQuery: bad-request,invalid-query and invalid-query',
    )
    expect(problemComponents([['invalid-query'], ['invalid-query']])).to.have.all.keys('InvalidQuery', 'Problem')
  })
})
