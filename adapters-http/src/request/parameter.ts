import { codec, type Reason } from '@snippets/domain/codec.js'
import type * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import type { Schema } from '../answer/json-schema.js'

export type Described = Readonly<{ description: string; schema: Schema; example: unknown }>

/** A parameter of a query string, and what the OpenAPI document says of it. */
export type Parameter<A> = t.Type<A, A, unknown> & Described

export const parameter = <A>(
  name: string,
  parse: (value: unknown) => E.Either<Reason, A>,
  described: Described,
): Parameter<A> => Object.assign(codec(name, parse), described)
