import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { LongResponses } from '../load/long-responses.js'
import type { OpenApiObject, Schema } from '../openapi-objects.js'
import type { Links } from '../request/links.js'
import type { InputOf, RequestReader, RequestReaders } from '../request/reader.js'
import type { RequestError } from '../response/problem-of-error.js'
import type { HttpResponse } from '../response/response.js'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A schema with its name in the document. */
export type NamedSchema = Readonly<{ name: string; schema: Schema; example?: unknown }>

/** The content of a response. Without a media type it is JSON. */
export type ResponseContent = NamedSchema &
  Readonly<{ mediaType?: string; examples?: Readonly<Record<string, unknown>> }>

/** A response as the OpenAPI document describes it. */
export type ResponseDescription = Readonly<{
  status: 200 | 201 | 204 | 304
  description: string
  content?: ResponseContent
  headers?: Readonly<Record<string, OpenApiObject>>
}>

/** A route, from which the router and the OpenAPI document are derived. */
export type Route = Readonly<{
  method: Method
  /** A parameter is written `:id`. */
  path: string
  /** The resource that the path parameter identifies, as in "There is no snippet 5." */
  item?: string
  operationId: string
  summary: string
  /** How a client uses the operation, in Markdown. */
  description: string
  tag: string
  readers: readonly RequestReader<unknown>[]
  responses: readonly ResponseDescription[]
  run: (ctx: RouterContext) => TE.TaskEither<RequestError, HttpResponse>
}>

/** The parts of the service that routes share. */
export type RouteOptions = Readonly<{ links: Links; longResponses: LongResponses }>

type Definition<R extends RequestReaders> = Omit<Route, 'readers' | 'run'> &
  Readonly<{
    /** The readers of the parts of the request. They run in this order, and the first error decides. */
    reads: R
    run: (input: InputOf<R>) => TE.TaskEither<RequestError, HttpResponse>
  }>

export const route = <R extends RequestReaders>({ reads, run, ...described }: Definition<R>): Route => {
  const readers = Object.entries(reads)
  return {
    ...described,
    readers: Object.values(reads),
    run: ctx => {
      const input: Record<string, unknown> = {}
      for (const [name, { read }] of readers) {
        const value = read(ctx)
        if (E.isLeft(value)) return TE.left(value.left)
        input[name] = value.right
      }
      // the compiler cannot infer from a loop that each value has the type of its reader
      return run(input as InputOf<R>)
    },
  }
}
