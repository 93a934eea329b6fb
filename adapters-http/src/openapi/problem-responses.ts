import { errorCodes } from '@snippets/domain/values/codec.js'
import * as NEA from 'fp-ts/lib/NonEmptyArray.js'
import type { OpenApiObject, Schema } from '../openapi-objects.js'
import { constantHeader, enumOf, exactObjectOf, integerHeader, optionalHeader, textHeader } from '../openapi-objects.js'
import {
  malformedBody,
  type ProblemError,
  type ProblemName,
  problem,
  problemNames,
  problemTable,
  problemType,
  validationProblem,
} from '../response/problems.js'
import { problemJson } from '../response/response.js'
import { commonHeaderObjects } from './common-headers.js'

/** The problems of any request. A response of an operation lists those of its status. */
const anyRequest: readonly ProblemName[] = ['bad-request', 'unavailable', 'overloaded']

const bodyProblems = ['malformed-body', 'invalid-body'] as const satisfies readonly ProblemName[]
const queryProblems = ['invalid-query'] as const satisfies readonly ProblemName[]

const hasErrors = (name: ProblemName): boolean => [...bodyProblems, ...queryProblems].some(other => other === name)

const problemSchema = (names: readonly ProblemName[], errors?: Schema): Schema => {
  const statuses = [...new Set(names.map(name => problemTable[name].status))]
  return exactObjectOf({
    type: { ...enumOf(names.map(problemType)), description: 'The kind of problem. Branch on it.' },
    title: { type: 'string', description: 'The kind of problem, for people.' },
    status: {
      type: 'integer',
      ...(statuses.length === 1 ? { const: statuses[0] } : { minimum: 400, maximum: 599 }),
      description: 'The status of the response.',
    },
    detail: { type: 'string', description: 'What is wrong and what to do. Show it.' },
    ...(errors && { errors }),
  })
}

const errorsAt = (place: Readonly<Record<string, Schema>>): Schema => ({
  type: 'array',
  minItems: 1,
  description: 'Every error that was found.',
  items: exactObjectOf({
    ...place,
    code: { ...enumOf(errorCodes), description: 'The kind of error. Branch on it.' },
    message: { type: 'string', description: 'What is wrong. Show it.' },
  }),
})

const schemaRef = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** The schemas of problems. A client narrows `Problem` by `type`, so each type belongs to one of its variants. */
export const problemSchemas: Readonly<Record<string, Schema>> = {
  Problem: {
    description: 'A problem (RFC 9457).',
    oneOf: ['BodyProblem', 'QueryProblem', 'OtherProblem'].map(schemaRef),
  },
  BodyProblem: {
    description: 'A body that is malformed or has invalid fields.',
    ...problemSchema(
      bodyProblems,
      errorsAt({ field: { type: 'string', description: 'The name of the field, or `body` for the whole body.' } }),
    ),
  },
  QueryProblem: {
    description: 'A query string with unknown or invalid parameters.',
    ...problemSchema(
      queryProblems,
      errorsAt({ parameter: { type: 'string', description: 'The name of the parameter.' } }),
    ),
  },
  OtherProblem: {
    description: 'A problem without errors of fields or parameters.',
    ...problemSchema(problemNames.filter(name => !hasErrors(name))),
  },
}

const schemaOf = (names: readonly ProblemName[]): Schema => {
  const others = names.filter(name => !hasErrors(name))
  const variants = [
    ...(names.includes('invalid-body') ? [schemaRef('BodyProblem')] : []),
    ...(names.includes('invalid-query') ? [schemaRef('QueryProblem')] : []),
    ...(others.length > 0 ? [problemSchema(others)] : []),
  ]
  const [only] = variants
  return variants.length === 1 && only ? only : { oneOf: variants }
}

type Group = readonly [status: string, names: readonly ProblemName[]]

/** Groups the stated problems by status, and adds the problems of any request with the same status. */
const groupsOf = (stated: readonly ProblemName[]): readonly Group[] => {
  const statuses = new Set(stated.map(name => problemTable[name].status))
  const names = problemNames.filter(
    name => stated.includes(name) || (anyRequest.includes(name) && statuses.has(problemTable[name].status)),
  )
  return Object.entries(NEA.groupBy<ProblemName>(name => String(problemTable[name].status))(names))
}

const pascalCase = (name: string): string => name.replace(/(?:^|-)([a-z])/g, (_, letter) => letter.toUpperCase())

/** Returns the name of a response: its most specific problem, which is the last in the table. */
const componentName = ([, names]: Group): string => pascalCase(names.at(-1) ?? '')

const refTo = (name: string): OpenApiObject => ({ $ref: `#/components/responses/${name}` })

/** Returns references to the responses of an operation with these problems, and to the response to any other problem. */
export const problemResponseRefs = (stated: readonly ProblemName[]): OpenApiObject => ({
  ...Object.fromEntries(groupsOf(stated).map(group => [group[0], refTo(componentName(group))])),
  default: refTo('Problem'),
})

/** Returns the responses that the operations refer to. */
export const problemComponents = (operations: readonly (readonly ProblemName[])[]): OpenApiObject => ({
  ...Object.fromEntries(operations.flatMap(groupsOf).map(group => [componentName(group), responseOf(group)])),
  Problem: {
    description: 'Any other problem.',
    headers: { ...commonHeaderObjects, 'Retry-After': optionalHeader(retryAfter) },
    content: { [problemJson]: { schema: schemaRef('Problem'), examples: examplesOf(['internal', 'overloaded']) } },
  },
})

const responseOf = ([status, names]: Group): OpenApiObject => ({
  description: names.map(name => problemTable[name].title).join(', or '),
  headers: { ...commonHeaderObjects, ...extraHeaders[status] },
  content: { [problemJson]: { schema: schemaOf(names), examples: examplesOf(names) } },
})

const examplesOf = (names: readonly ProblemName[]): OpenApiObject =>
  Object.fromEntries(names.map(name => [name, { summary: problemTable[name].title, value: exampleOf(name) }]))

const tooShort: ProblemError = {
  field: 'title',
  code: 'length',
  message: 'title must be between 1 and 100 characters',
}
const notPositive: ProblemError = { parameter: 'page', code: 'integer', message: 'page must be a positive integer' }

const exampleOf = (name: ProblemName): object => {
  switch (name) {
    case 'malformed-body':
      return malformedBody('json', 'The body is not valid JSON')
    case 'invalid-body':
      return validationProblem(name, [tooShort])
    case 'invalid-query':
      return validationProblem(name, [notPositive])
    default:
      return problem(name)
  }
}

const challengeHeader = {
  'WWW-Authenticate': textHeader('The scheme, and the error of the token (RFC 6750).', 'Bearer realm="snippets"'),
}

const retryAfter = integerHeader('The number of seconds to wait before a retry.', 1)

const accepted = (description: string): OpenApiObject => optionalHeader(textHeader(description, 'application/json'))

const extraHeaders: Readonly<Record<string, Readonly<Record<string, OpenApiObject>>>> = {
  401: challengeHeader,
  403: challengeHeader,
  409: { 'Retry-After': retryAfter },
  415: {
    'Accept-Post': accepted('The media types that a POST accepts.'),
    'Accept-Patch': accepted('The media types that a PATCH accepts.'),
    Accept: accepted('The media types that a PUT accepts.'),
    'Accept-Encoding': optionalHeader(constantHeader('Sent when the body has a Content-Encoding.', 'identity')),
  },
  503: { 'Retry-After': optionalHeader(retryAfter) },
}
