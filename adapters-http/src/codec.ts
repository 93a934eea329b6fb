import { type Either, isLeft, isRight, left, mapLeft, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import type { ProblemError } from './problem.js'

type Faulty = t.ValidationError & Readonly<{ fault: ProblemError }>

const isFaulty = (error: t.ValidationError): error is Faulty => 'fault' in error

/** An io-ts codec whose failures carry what the client is told. */
export const codec = <A>(name: string, parse: (value: unknown) => Either<ProblemError, A>): t.Type<A, A, unknown> =>
  new t.Type<A, A, unknown>(
    name,
    (value): value is A => isRight(parse(value)),
    (value, context) =>
      pipe(
        parse(value),
        mapLeft(fault => [{ value, context, fault }]),
      ),
    t.identity,
  )

/** All faults at once, in the order of the codec's fields. */
export const decodeWith =
  <A>(decoder: t.Decoder<unknown, A>) =>
  (value: unknown): Either<readonly ProblemError[], A> => {
    const decoded = decoder.decode(value)
    return isLeft(decoded) ? left(decoded.left.filter(isFaulty).map(({ fault }) => fault)) : right(decoded.right)
  }
