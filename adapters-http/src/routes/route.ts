import type { RouterContext } from '@koa/router'
import { flow } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { OpenApiObject, Schema } from '../openapi-objects.js'
import { type InputOf, type RequestReader, type RequestReaders, readAll } from '../request/reader.js'
import type { RequestError } from '../response/request-error.js'
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

type Definition<R extends RequestReaders> = Omit<Route, 'readers' | 'run'> &
  Readonly<{
    /** The readers of the parts of the request. They run in this order, and the first error decides. */
    reads: R
    run: (input: InputOf<R>) => TE.TaskEither<RequestError, HttpResponse>
  }>

export const route = <R extends RequestReaders>({ reads, run, ...described }: Definition<R>): Route => ({
  ...described,
  readers: Object.values(reads),
  run: flow(readAll(reads), TE.chain(run)),
})
