import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { ProblemName } from '../answer/problems.js'
import type { Refusal } from '../answer/refusal.js'
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
export type Reader<A> = Readonly<{
  read: (ctx: RouterContext) => E.Either<Refusal, A> | Promise<E.Either<Refusal, A>>
  parameters?: readonly Schema[]
  body?: BodyDescription
  problems?: readonly ProblemName[]
}>

export type Readers = Readonly<Record<string, Reader<unknown>>>

/** The input of a handler: the value of each reader under its name. */
export type InputOf<R extends Readers> = {
  readonly [Name in keyof R]: R[Name] extends Reader<infer A> ? A : never
}

/** Runs the readers in their order and stops at the first refusal. */
export const readAll = <R extends Readers>(readers: R) => {
  const entries = Object.entries(readers)
  return (ctx: RouterContext): TaskEither<Refusal, InputOf<R>> =>
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
