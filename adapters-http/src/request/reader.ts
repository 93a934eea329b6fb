import type { RouterContext } from '@koa/router'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { OpenApiObject, Schema } from '../openapi-objects.js'
import type { Problem, ProblemName } from '../response/problems.js'

/** The description of a request body in the OpenAPI document. */
export type BodyDescription = Readonly<{
  name: string
  schema: Schema
  example: unknown
  mediaTypes: readonly string[]
  maxBytes: number
}>

/** A reader of one part of a request, with its description in the OpenAPI document. */
export type RequestReader<A> = Readonly<{
  read: (ctx: RouterContext) => TaskEither<Problem, A>
  parameters?: readonly OpenApiObject[]
  body?: BodyDescription
  /** The problems that this part of a request can cause, here or in the storage. */
  problems?: readonly ProblemName[]
}>

export type RequestReaders = Readonly<Record<string, RequestReader<unknown>>>

/** The input of a handler: the value of each reader under its name. */
export type InputOf<R extends RequestReaders> = {
  readonly [Name in keyof R]: R[Name] extends RequestReader<infer A> ? A : never
}
