import { contentCodec } from '@snippets/domain/entities/snippet.js'
import { makeRecord } from '@snippets/domain/values/record.js'
import * as NEA from 'fp-ts/lib/NonEmptyArray.js'
import * as O from 'fp-ts/lib/Option.js'
import {
  constantHeader,
  enumSchema,
  header,
  type OpenApiObject,
  objectSchema,
  optionalHeader,
  type Schema,
  schemaRef,
} from '../formats/openapi-objects.js'
import {
  errorCodes,
  makeProblem,
  type Problem,
  type ProblemName,
  problemBody,
  problemNames,
  problemTable,
  problemTitle,
  problemType,
} from '../formats/problems.js'
import { challenge } from '../middleware/tokens.js'
import { snippetQueryReader } from '../request/list-query.js'
import { parseQueryString } from '../request/query-string.js'
import { decodeBody, notJson } from '../request/snippet-bodies.js'
import { commonHeaders, problemJsonType } from '../response/response.js'

type Names = readonly ProblemName[]

const textSchema = (description: string): Schema => ({ type: 'string', description })

const problemSchema = (description: string, names: Names, errors?: Schema): Schema => {
  const statuses = new Set(names.map(name => problemTable[name].status))
  return objectSchema(description, {
    type: {
      ...enumSchema(names.map(problemType)),
      description: 'The kind of problem. Branch on it, and treat an unknown value like the status.',
    },
    title: textSchema('The kind of problem, for people.'),
    status: { type: 'integer', enum: [...statuses], description: 'The status of the response.' },
    detail: textSchema('What is wrong and what to do, for developers.'),
    ...(errors && { errors }),
  })
}

const errorsSchema = (place: Readonly<Record<string, Schema>>): Schema => ({
  type: 'array',
  minItems: 1,
  description: 'The errors, all of them for a body.',
  items: objectSchema('An error in one place.', {
    ...place,
    code: {
      ...enumSchema(Object.keys(errorCodes)),
      description: 'The kind of error. Branch on it; later versions may have others.',
    },
    message: textSchema('What is wrong, for people.'),
  }),
})

const problemsWithErrors: Names = ['malformed-body', 'invalid-body', 'invalid-query']

const withoutErrors = (names: Names) => names.filter(name => !problemsWithErrors.includes(name))

/** The schemas of problems. Clients narrow a problem by `type`, so each type belongs to one variant. */
export const problemSchemas: Readonly<Record<string, Schema>> = {
  Problem: {
    description: 'An error (RFC 9457).',
    oneOf: ['BodyProblem', 'QueryProblem', 'OtherProblem'].map(schemaRef),
  },
  BodyProblem: problemSchema(
    'The body is malformed or has invalid fields.',
    ['malformed-body', 'invalid-body'],
    errorsSchema({ field: textSchema('The name of the field, or `body` for the whole body.') }),
  ),
  QueryProblem: problemSchema(
    'The query string has unknown or invalid parameters.',
    ['invalid-query'],
    errorsSchema({ parameter: textSchema('The name of the parameter.') }),
  ),
  OtherProblem: problemSchema('A problem that is not in a field or parameter.', withoutErrors(problemNames)),
}

const schemaOf = (names: Names): Schema => {
  const others = withoutErrors(names)
  const oneOf = [
    ...(names.includes('invalid-body') ? [schemaRef('BodyProblem')] : []),
    ...(names.includes('invalid-query') ? [schemaRef('QueryProblem')] : []),
    ...(others.length > 0 ? [problemSchema(others.map(problemTitle).join(', '), others)] : []),
  ]
  return oneOf.length === 1 ? { ...oneOf[0] } : { oneOf }
}

/** The headers of every response. */
export const commonHeaderObjects = {
  'X-Request-Id': header(
    'The id of the request: the X-Request-Id of the request if it is well-formed, otherwise a new id.',
    '5f0c6a52-6f1b-4f0e-9d0a-0c8b6a0a4f5e',
  ),
  'Cache-Control': constantHeader('Revalidate before using a stored copy.', commonHeaders['Cache-Control']),
  'X-Content-Type-Options': constantHeader(
    'Forbids browsers to guess the media type.',
    commonHeaders['X-Content-Type-Options'],
  ),
}

const statusOf = (name: ProblemName): string => String(problemTable[name].status)

/** Returns the name of a response, such as NotFound: its most specific problem, which is the last in the table. */
const responseName = (names: NEA.NonEmptyArray<ProblemName>): string =>
  problemTitle(NEA.last(names)).replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase())

const byStatus = (stated: Names) =>
  Object.entries(NEA.groupBy(statusOf)(problemNames.filter(name => stated.includes(name))))

const responseRef = (name: string): OpenApiObject => ({ $ref: `#/components/responses/${name}` })

/** Returns the responses of an operation with these problems. The default is the response to any other problem. */
export const problemResponseRefs = (stated: Names): OpenApiObject => ({
  ...Object.fromEntries(byStatus(stated).map(([status, names]) => [status, responseRef(responseName(names))])),
  default: responseRef('Problem'),
})

/** Returns the responses that the operations refer to. Throws if two different responses have the same name. */
export const problemComponents = (operations: readonly Names[]): OpenApiObject => ({
  ...Object.fromEntries(
    operations.flatMap(byStatus).map(([status, names], _, all) => {
      const name = responseName(names)
      const namesake = all.find(([, others]) => responseName(others) === name && others.join() !== names.join())
      if (namesake !== undefined) throw new Error(`two responses are named ${name}: ${names} and ${namesake[1]}`)
      const description = `${names.map(problemTitle).join(', or ')}.`
      return [name, responseOf(description, names, schemaOf(names), extraHeaders[status])]
    }),
  ),
  Problem: responseOf('Any other problem.', ['internal', 'unavailable', 'overloaded'], schemaRef('Problem'), {
    'Retry-After': optionalHeader(retryAfterHeader),
  }),
})

const responseOf = (description: string, names: Names, schema: Schema, headers: OpenApiObject = {}) => ({
  description,
  headers: { ...commonHeaderObjects, ...headers },
  content: {
    [problemJsonType]: {
      schema,
      examples: makeRecord(names, name => ({
        summary: problemTitle(name),
        value: JSON.parse(problemBody(examples[name] ?? makeProblem(name))),
      })),
    },
  },
})

/** Problems with errors, as the service sends them. */
const examples: Partial<Record<ProblemName, Problem | undefined>> = {
  'malformed-body': notJson,
  'invalid-body': O.toUndefined(O.getLeft(decodeBody(contentCodec)({}))),
  'invalid-query': O.toUndefined(O.getLeft(parseQueryString('pages=2', { allowed: snippetQueryReader.names }))),
}

const challengeHeader = header('The scheme, and the error of the token (RFC 6750).', challenge)

const retryAfterHeader = header('The number of seconds to wait before a retry.', 1)

const acceptedTypes = optionalHeader(header('The media types that are accepted.', 'application/json'))

const extraHeaders: Readonly<Record<string, OpenApiObject>> = {
  401: { 'WWW-Authenticate': challengeHeader },
  403: { 'WWW-Authenticate': challengeHeader },
  409: { 'Retry-After': retryAfterHeader },
  415: {
    'Accept-Post': acceptedTypes,
    'Accept-Patch': acceptedTypes,
    Accept: acceptedTypes,
    'Accept-Encoding': optionalHeader(constantHeader('Sent when the body has a Content-Encoding.', 'identity')),
  },
  503: { 'Retry-After': optionalHeader(retryAfterHeader) },
}
