import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { Schema } from '../answer/json-schema.js'
import type { ProblemName } from '../answer/problems.js'
import type { Refusal } from '../answer/refusal.js'

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

/** What a handler is given: the value of each reader under its name. */
export type InputOf<R extends Readers> = {
  readonly [Name in keyof R]: R[Name] extends Reader<infer A> ? A : never
}

type Values = Record<string, unknown>
type Outcome<A> = E.Either<Refusal, A> | Promise<E.Either<Refusal, A>>

/**
 * Runs the readers in their order and stops at the first refusal. It is synchronous unless a reader waits, so that a GET
 * costs one promise, that of its use case.
 */
export const readAll = <R extends Readers>(readers: R): ((ctx: RouterContext) => Outcome<InputOf<R>>) => {
  const steps = Object.entries(readers)
  const readFrom = (i: number, values: Values, ctx: RouterContext): Outcome<Values> => {
    const step = steps[i]
    if (step === undefined) return E.right(values)
    const [name, { read }] = step
    const proceed = (value: E.Either<Refusal, unknown>): Outcome<Values> => {
      if (E.isLeft(value)) return value
      values[name] = value.right
      return readFrom(i + 1, values, ctx)
    }
    const value = read(ctx)
    return value instanceof Promise ? value.then(proceed) : proceed(value)
  }
  // each value has the name and the type of its reader, which the compiler cannot follow through a loop
  return ctx => readFrom(0, {}, ctx) as Outcome<InputOf<R>>
}
