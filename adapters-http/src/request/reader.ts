import type { RouterContext } from '@koa/router'
import type { Either } from 'fp-ts/lib/Either.js'
import type { BodyDescription, OpenApiObject } from '../contract/openapi-objects.js'
import type { Problem, ProblemName } from '../contract/problems.js'

/** A reader of one part of a request, with its description in the OpenAPI document. */
export type RequestReader<A> = Readonly<{
  /** `body` is empty if the route reads none. */
  read: (ctx: RouterContext, body: Buffer) => Either<Problem, A>
  parameters?: readonly OpenApiObject[]
  body?: BodyDescription
  /** The problems that the OpenAPI document names for this part of a request. `default` covers the others. */
  problems?: readonly ProblemName[]
}>
