import { type Fault, faultsOf } from '@snippets/domain/values/codec.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as t from 'io-ts'
import { type Problem, type ProblemError, validationProblem } from '../response/problems.js'
import { didYouMean, nearestTo, truncate } from './did-you-mean.js'

const fieldError = ({ name, code, message }: Fault, keys: readonly string[]): ProblemError => ({
  field: name,
  code,
  message: code === 'required' ? message + misspellingHint(name, keys) : message,
})

/** Suggests that a key of the body is a misspelling of the missing field. */
const misspellingHint = (field: string, keys: readonly string[]): string => {
  const misspelt = keys.find(key => nearestTo(key, [field]) !== undefined)
  return misspelt === undefined ? '' : `; did you mean "${field}" instead of ${JSON.stringify(misspelt)}?`
}

const maxKeys = 100

type JsonObject = Readonly<Record<string, unknown>>

/** A decoder of a JSON object. It returns a problem for an invalid one. */
export type DecodeBody<A> = (body: JsonObject) => E.Either<Problem, A>

export const decodeBody =
  <A>(codec: t.Decoder<unknown, A>): DecodeBody<A> =>
  body =>
    pipe(
      codec.decode(body),
      E.mapLeft(errors => {
        // called once: Object.keys is slow for large bodies
        const keys = Object.keys(body).slice(0, maxKeys)
        const faults = faultsOf(errors).map(fault => fieldError(fault, keys))
        return validationProblem('invalid-body', faults)
      }),
    )

const maxErrors = 10

/** Rejects a body that has names but no writable field, because the names are probably misspelt. */
export const requireWritableField =
  (writable: readonly string[]): DecodeBody<JsonObject> =>
  body => {
    const keys = writable.some(field => Object.hasOwn(body, field)) ? [] : Object.keys(body).slice(0, maxErrors)
    const errors = keys.map(key => notWritable(key, writable))
    return errors.length === 0 ? E.right(body) : E.left(validationProblem('invalid-body', errors))
  }

const notWritable = (key: string, writable: readonly string[]): ProblemError => {
  const message = `a PATCH can change ${writable.join(', ')}, but not ${truncate(key)}${didYouMean(key, writable)}`
  return { field: truncate(key), code: 'unknown', message }
}
