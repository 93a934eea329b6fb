import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { fixture, openApiText, releases } from './fixtures.js'

type Schemas = Readonly<Record<string, Readonly<{ required?: readonly string[] }>>>
type Operation = Readonly<{
  operationId: string
  parameters?: readonly Readonly<{ name: string; required?: boolean }>[]
  requestBody?: Readonly<{ content: Readonly<Record<string, Readonly<{ schema: Readonly<{ $ref: string }> }>>> }>
}>
type ApiDocument = Readonly<{
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: Readonly<{ schemas: Schemas; responses: object }>
}>

const texts = /^(?:info|servers|tags|externalDocs|examples?)$/
const textsAndLimits = /^(?:title|summary|description|default|pattern|(?:max|min)(?:imum|Length|Items))$/

/** Parses a document without what may change. The value of a property or a response with such a name is an object. */
const parse = (text: string): ApiDocument =>
  JSON.parse(text, (key, value) =>
    texts.test(key) || (textsAndLimits.test(key) && typeof value !== 'object') ? undefined : value,
  )

const partsOf = ({ paths, components: { schemas, responses, ...components }, ...others }: ApiDocument) =>
  new Map(Object.entries({ ...paths, ...schemas, ...responses, components, others }))

const operationsOf = ({ paths }: ApiDocument): readonly Operation[] =>
  Object.values(paths).flatMap(path => Object.values(path))

/** Returns the parameters and fields that the operations with these ids require. */
const demandsOf = (document: ApiDocument, ids: readonly string[]): readonly string[] =>
  operationsOf(document)
    .filter(({ operationId }) => ids.includes(operationId))
    .flatMap(({ operationId, parameters = [], requestBody }) => {
      const bodies = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema.$ref.split('/').at(-1) ?? '')
      const fields = bodies.flatMap(name => document.components.schemas[name]?.required ?? [])
      const names = [...parameters.filter(({ required }) => required).map(({ name }) => name), ...fields]
      return names.map(name => `${operationId} ${name}`)
    })

describe('The OpenAPI document', () => {
  for (const release of releases)
    it(`keeps every part of the document of ${release}, and adds no required parameter or field to its requests`, async () => {
      const before = parse(readFileSync(fixture(release, 'openapi.json'), 'utf8'))
      const now = parse(await openApiText())
      const parts = partsOf(now)
      for (const [name, part] of partsOf(before)) expect(parts.get(name), name).to.containSubset(part)
      const ids = operationsOf(before).map(({ operationId }) => operationId)
      expect(demandsOf(before, ids))
        .to.include('createSnippet title')
        .and.to.include.members([...demandsOf(now, ids)])
    })
})
