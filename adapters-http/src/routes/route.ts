import type { RouterContext } from '@koa/router'
import type { StorageError } from '@snippets/domain/ports/errors.js'
import * as E from 'fp-ts/lib/Either.js'
import * as NEA from 'fp-ts/lib/NonEmptyArray.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { RequestReader } from '../request/reader.js'
import type { Problem } from '../response/problems.js'
import type { HttpResponse } from '../response/response.js'
import type { OpenApiOperation } from './operations.js'

/** A route, from which the router and the OpenAPI document are derived. */
export type Route = Readonly<{
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** A parameter is written `:id`. */
  path: string
  readers: readonly RequestReader<unknown>[]
  /** Marks a response of unbounded length. */
  isLong?: true
  /** Reads the request. Returns the rest of the handler. */
  prepare: (ctx: RouterContext) => E.Either<Problem, TE.TaskEither<StorageError, HttpResponse>>
  operation: OpenApiOperation
}>

/** Groups routes by path. Constant paths come before paths with a parameter, as the first match decides. */
export const routesByPath = (routes: readonly Route[]): readonly (readonly [string, readonly Route[]])[] =>
  Object.entries(NEA.groupBy<Route>(({ path }) => path)([...routes])).sort(
    ([a], [b]) => Number(a.includes(':')) - Number(b.includes(':')),
  )

/** The value of each reader, under its name: the input of a handler. */
type ValuesOf<R> = { readonly [Name in keyof R]: R[Name] extends RequestReader<infer A> ? A : never }

type Definition<R> = Omit<Route, 'readers' | 'prepare'> &
  Readonly<{
    /** The readers of the parts of the request. They run in this order, and the first error decides. */
    reads: R
    run: (input: ValuesOf<R>) => TE.TaskEither<StorageError, HttpResponse>
  }>

export const route = <R extends Readonly<Record<string, RequestReader<unknown>>>>({
  reads,
  run,
  ...others
}: Definition<R>): Route => {
  const readers = Object.entries(reads)
  return {
    ...others,
    readers: Object.values(reads),
    prepare: ctx => {
      const input: Record<string, unknown> = {}
      for (const [name, { read }] of readers) {
        const value = read(ctx)
        if (E.isLeft(value)) return value
        input[name] = value.right
      }
      // the compiler cannot infer from a loop that each value has the type of its reader
      return E.right(run(input as ValuesOf<R>))
    },
  }
}
