import type { RouterContext } from '@koa/router'
import type { Either } from 'fp-ts/lib/Either.js'
import type { OpenApiObject, Schema } from '../openapi-objects.js'
import type { Problem, ProblemName } from '../response/problems.js'

/** The description of a request body in the OpenAPI document. */
export type BodyDescription = Readonly<{
  name: string
  schema: Schema
  example: unknown
  mediaTypes: readonly string[]
}>

/** A reader of one part of a request, with its description in the OpenAPI document. The router has received the body. */
export type RequestReader<A> = Readonly<{
  read: (ctx: RouterContext) => Either<Problem, A>
  parameters?: readonly OpenApiObject[]
  body?: BodyDescription
  /** The problems that this part of a request can cause, here or in the storage. */
  problems?: readonly ProblemName[]
}>
