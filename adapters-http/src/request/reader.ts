import type { RouterContext } from '@koa/router'
import type { Either } from 'fp-ts/lib/Either.js'
import type { BodyDescription, OpenApiObject } from '../formats/openapi-objects.js'
import type { Problem, ProblemName } from '../formats/problems.js'

/**
 * A step before the handler: reads a part of the request, or reserves what the response needs. The OpenAPI document
 * shows its description.
 */
export type RequestReader<A> = Readonly<{
  /** `body` is empty if the route reads none. */
  read: (ctx: RouterContext, body: Buffer) => Either<Problem, A>
  parameters?: readonly OpenApiObject[]
  /** The router receives a body only for a route with such a reader. */
  body?: BodyDescription
  /** The problems that the OpenAPI document names for this part of a request. `default` covers the others. */
  problems?: readonly ProblemName[]
}>
