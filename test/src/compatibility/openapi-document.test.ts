import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { fixture, openApiText, releases } from './fixtures.js'

type Parts = Readonly<Record<string, unknown>>

const isParts = (value: unknown): value is Parts => typeof value === 'object' && value !== null

/** Texts, examples and limits. */
const mayChange =
  /^(?:info|servers|tags|externalDocs|title|summary|description|examples?|default|pattern|(?:max|min)(?:imum|Length|Items))$/

/** The keys of these objects are names. */
const hasNames = /^(?:paths|schemas|properties|responses|headers|content)$/

/** Returns the paths of the parts that a document has, and a later one lacks. */
const lostParts = (before: unknown, after: unknown, path: readonly string[] = []): readonly string[] => {
  if (!isParts(before)) return before === after ? [] : [[...path, String(before)].join(' ')]
  if (!isParts(after)) return [path.join(' ')]
  if (!Array.isArray(before))
    return Object.entries(before)
      .filter(([key]) => hasNames.test(path.at(-1) ?? '') || !mayChange.test(key))
      .flatMap(([key, part]) => lostParts(part, after[key], [...path, key]))
  const isKept = (part: unknown): boolean => Object.values(after).some(later => lostParts(part, later).length === 0)
  return before.filter(part => !isKept(part)).map(part => `${path.join(' ')} ${JSON.stringify(part).slice(0, 60)}`)
}

type RequestSchema = Readonly<{ $ref?: string; required?: readonly string[] }>
type Operation = Readonly<{
  operationId: string
  parameters?: readonly Readonly<{ name: string; required?: boolean }>[]
  requestBody?: Readonly<{ content: Readonly<Record<string, Readonly<{ schema: RequestSchema }>>> }>
}>

type ApiDocument = Readonly<{
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: Readonly<{ schemas: Readonly<Record<string, RequestSchema>> }>
}>

/** Returns the parameters and fields that the operations of a document require. */
const demandsOf = ({ paths, components: { schemas } }: ApiDocument): readonly string[] =>
  Object.values(paths)
    .flatMap(path => Object.values(path))
    .flatMap(({ operationId, parameters = [], requestBody }) => {
      const bodies = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema.$ref?.split('/').at(-1) ?? '')
      const fields = bodies.flatMap(name => schemas[name]?.required ?? [])
      const names = [...parameters.filter(({ required }) => required).map(({ name }) => name), ...fields]
      return names.map(name => `${operationId} ${name}`)
    })

describe('The OpenAPI document', () => {
  for (const release of releases)
    it(`has everything that the one of ${release} has, and requires no more of a request`, async () => {
      const before: ApiDocument = JSON.parse(readFileSync(fixture(release, 'openapi.json'), 'utf8'))
      const now: ApiDocument = JSON.parse(await openApiText())
      expect(lostParts(before, now)).to.deep.equal([])
      expect(demandsOf(before))
        .to.include('createSnippet title')
        .and.to.include.members([...demandsOf(now)])
    })
})
