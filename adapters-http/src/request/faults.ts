import { type Fault, faultsOf } from '@snippets/domain/codec.js'
import { type Either, mapLeft } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as t from 'io-ts'
import { type ErrorCode, errorCodes, invalid, type Problem, type ProblemError } from '../answer/problems.js'

const codeOf = ({ code }: Fault): ErrorCode => errorCodes.find(known => known === code) ?? 'type'

const atField = (fault: Fault): ProblemError => ({ field: fault.name, code: codeOf(fault), message: fault.message })

const atParameter = (fault: Fault): ProblemError => ({
  parameter: fault.name,
  code: codeOf(fault),
  message: fault.message,
})

export const decodeBody = <A>(codec: t.Decoder<unknown, A>, body: object): Either<Problem, A> =>
  pipe(
    codec.decode(body),
    mapLeft(errors => invalid('invalid-body', faultsOf(errors).map(atField))),
  )

export const decodeQuery = <A>(codec: t.Decoder<unknown, A>, values: object): Either<Problem, A> =>
  pipe(
    codec.decode(values),
    mapLeft(errors => invalid('invalid-query', faultsOf(errors).map(atParameter))),
  )
