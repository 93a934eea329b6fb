import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'

/** Why a value was rejected: a code for programs, a sentence for people. */
export type Reason = Readonly<{ code: string; message: string }>

/** A reason and the name of the field it is about. */
export type Fault = Reason & Readonly<{ name: string }>

type Explained = t.ValidationError & Readonly<{ reason: Reason }>

/** Makes an io-ts codec from a parse function. Its reasons travel in the validation errors; `faultsOf` reads them. */
export const codec = <A>(name: string, parse: (value: unknown) => E.Either<Reason, A>): t.Type<A, A, unknown> =>
  new t.Type(
    name,
    (value): value is A => E.isRight(parse(value)),
    (value, context) =>
      pipe(
        parse(value),
        E.mapLeft((reason): Explained[] => [{ value, context, reason }]),
      ),
    t.identity,
  )

/** Every fault, in the order of the codec's fields. Never empty, so that no failure looks like a success. */
export const faultsOf = (errors: t.Errors): readonly [Fault, ...Fault[]] => {
  const [first, ...others] = errors.map(faultOf)
  return [first ?? { name: '', code: 'type', message: 'is not valid' }, ...others]
}

/** A codec of io-ts itself gives no reason, only the type that it expected. */
const faultOf = (error: t.ValidationError): Fault => {
  const name = error.context
    .map(({ key }) => key)
    .filter(key => key !== '')
    .join('.')
  if (isExplained(error)) return { name, ...error.reason }
  const expected = error.context.at(-1)?.type.name ?? 'value'
  return { name, code: 'type', message: `${name || 'the value'} must be of type ${expected}` }
}

const isExplained = (error: t.ValidationError): error is Explained => 'reason' in error
