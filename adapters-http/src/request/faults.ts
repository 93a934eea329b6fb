import { type Fault, faultsOf } from '@snippets/domain/values/codec.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as t from 'io-ts'
import { invalid, type Problem, type ProblemError } from '../answer/problems.js'
import { nearestTo } from './did-you-mean.js'

const atField = ({ name, code, message }: Fault, keys: readonly string[]): ProblemError => ({
  field: name,
  code,
  message: code === 'required' ? message + didYouMean(name, keys) : message,
})

/** Unknown keys are ignored, but where a field is missing, one of them may be that field misspelt. */
const didYouMean = (field: string, keys: readonly string[]): string => {
  const misspelt = keys.find(key => key.length <= maxKeyLength && O.isSome(nearestTo(key, [field])))
  return misspelt === undefined ? '' : `; did you mean "${field}" instead of ${JSON.stringify(misspelt)}?`
}

const maxKeys = 100
const maxKeyLength = 40

export const decodeBody = <A>(
  codec: t.Decoder<unknown, A>,
  body: Readonly<Record<string, unknown>>,
): E.Either<Problem, A> =>
  pipe(
    codec.decode(body),
    E.mapLeft(errors => {
      // once, as it takes a millisecond or more for thousands of keys
      const keys = Object.keys(body).slice(0, maxKeys)
      const faults = faultsOf(errors).map(fault => atField(fault, keys))
      return invalid('invalid-body', faults)
    }),
  )
