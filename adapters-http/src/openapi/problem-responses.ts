import { errorCodes } from '@snippets/domain/values/codec.js'
import * as NEA from 'fp-ts/lib/NonEmptyArray.js'
import type { OpenApiObject, Schema } from '../openapi-objects.js'
import { constantHeader, enumOf, exactObjectOf, optionalHeader, textHeader } from '../openapi-objects.js'
import { type ProblemName, problem, problemNames, problemTable, problemType } from '../response/problems.js'
import { problemJson } from '../response/response.js'
import type { NamedSchema } from '../routes/route.js'
import { commonHeaderObjects } from './common-headers.js'

const field = { type: 'string', description: 'The name of the field, or `body` for the whole body.' }
const parameter = { type: 'string', description: 'The name of the parameter.' }

const errorAt = (place: Readonly<Record<string, Schema>>): Schema =>
  exactObjectOf({ ...place, code: enumOf(errorCodes), message: { type: 'string' } })

export const problemSchema: NamedSchema = {
  name: 'Problem',
  schema: exactObjectOf(
    {
      type: enumOf(problemNames.map(problemType)),
      title: { type: 'string' },
      status: { type: 'integer', minimum: 400, maximum: 599 },
      detail: { type: 'string' },
      errors: { type: 'array', minItems: 1, items: { oneOf: [errorAt({ field }), errorAt({ parameter })] } },
    },
    ['type', 'title', 'status', 'detail'],
  ),
  example: problem('not-found'),
}

type Group = readonly [status: string, names: readonly ProblemName[]]

/** Groups problems by status, as OpenAPI has one response for each status. */
const groupsOf = (names: readonly ProblemName[]): readonly Group[] =>
  Object.entries(NEA.groupBy<ProblemName>(name => String(problemTable[name].status))([...new Set(names)]))

const pascalCase = (name: string): string => name.replace(/(?:^|-)([a-z])/g, (_, letter) => letter.toUpperCase())

const componentName = ([, names]: Group): string => names.map(pascalCase).join('Or')

/** Returns references to the problem responses of a route, by status. */
export const problemResponseRefs = (names: readonly ProblemName[]): OpenApiObject =>
  Object.fromEntries(
    groupsOf(names).map(group => [group[0], { $ref: `#/components/responses/${componentName(group)}` }]),
  )

/** Returns the components that the responses of the routes refer to. */
export const problemComponents = (routes: readonly (readonly ProblemName[])[]): OpenApiObject =>
  Object.fromEntries(routes.flatMap(groupsOf).map(group => [componentName(group), responseComponent(group)]))

const responseComponent = ([status, names]: Group): OpenApiObject => ({
  description: names.map(name => problemTable[name].detail).join(' Or: '),
  headers: { ...commonHeaderObjects, ...extraHeaders[status] },
  content: {
    [problemJson]: {
      schema: {
        allOf: [{ $ref: `#/components/schemas/${problemSchema.name}` }],
        type: 'object',
        properties: { type: enumOf(names.map(problemType)) },
      },
      examples: Object.fromEntries(names.map(name => [name, { value: problem(name) }])),
    },
  },
})

const challengeHeader = {
  'WWW-Authenticate': textHeader('The scheme, and the error of the token (RFC 6750).', 'Bearer realm="snippets"'),
}

const retryAfterHeader = textHeader('The number of seconds to wait before a retry.', '1')

const accepted = (description: string): OpenApiObject => optionalHeader(textHeader(description, 'application/json'))

const extraHeaders: Readonly<Record<string, Readonly<Record<string, OpenApiObject>>>> = {
  401: challengeHeader,
  403: challengeHeader,
  415: {
    'Accept-Post': accepted('The media types that a POST accepts.'),
    'Accept-Patch': accepted('The media types that a PATCH accepts.'),
    Accept: accepted('The media types that a PUT accepts.'),
    'Accept-Encoding': optionalHeader(constantHeader('Sent when the body has a Content-Encoding.', 'identity')),
  },
  409: { 'Retry-After': retryAfterHeader },
  503: { 'Retry-After': optionalHeader(retryAfterHeader) },
}
