import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { ProblemName } from '../answer/problems.js'
import type { RequestError } from '../answer/request-error.js'
import type { Schema } from '../json-schema.js'

/** A body that a route accepts: its name, its JSON Schema and an example, for the OpenAPI document. */
export type BodyDescription = Readonly<{
  name: string
  schema: Schema
  example: unknown
  mediaTypes: readonly string[]
  maxBytes: number
}>

/** Reads one part of a request, and says in the document what it expects there. */
export type RequestReader<A> = Readonly<{
  read: (ctx: RouterContext) => E.Either<RequestError, A> | Promise<E.Either<RequestError, A>>
  parameters?: readonly Schema[]
  body?: BodyDescription
  problems?: readonly ProblemName[]
}>

export type RequestReaders = Readonly<Record<string, RequestReader<unknown>>>

/** The input of a handler: the value of each reader under its name. */
export type InputOf<R extends RequestReaders> = {
  readonly [Name in keyof R]: R[Name] extends RequestReader<infer A> ? A : never
}

/** Runs the readers in their order and stops at the first error. */
export const readAll = <R extends RequestReaders>(readers: R) => {
  const entries = Object.entries(readers)
  return (ctx: RouterContext): TaskEither<RequestError, InputOf<R>> =>
    async () => {
      const values: Record<string, unknown> = {}
      for (const [name, { read }] of entries) {
        const value = await read(ctx)
        if (E.isLeft(value)) return value
        values[name] = value.right
      }
      // each value has the name and the type of its reader, which the compiler cannot follow through a loop
      return E.right(values as InputOf<R>)
    }
}
