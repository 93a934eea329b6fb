import { type Either, isRight, mapLeft, right } from './fp/either.js'
import { t } from './fp/io-ts.js'
import { pipe } from './fp/pipe.js'

/** Why a value was rejected: a code for programs, a sentence for people. */
export type Reason = Readonly<{ code: string; message: string }>

/** A reason and the name of the field it is about. */
export type Fault = Reason & Readonly<{ name: string }>

type Explained = t.ValidationError & Readonly<{ reason: Reason }>

/** Makes an io-ts codec from a parse function. Its reasons travel in the validation errors; `faultsOf` reads them. */
export function codec<A>(name: string, parse: (value: unknown) => Either<Reason, A>): t.Type<A, A, unknown>
export function codec<A, O>(
  name: string,
  parse: (value: unknown) => Either<Reason, A>,
  encode: (value: A) => O,
): t.Type<A, O, unknown>
export function codec<A>(
  name: string,
  parse: (value: unknown) => Either<Reason, A>,
  encode: (value: A) => unknown = t.identity,
): t.Type<A, unknown, unknown> {
  return new t.Type(
    name,
    (value): value is A => isRight(parse(value)),
    (value, context) =>
      pipe(
        parse(value),
        mapLeft((reason): Explained[] => [{ value, context, reason }]),
      ),
    encode,
  )
}

export type Decode<A> = (value: Readonly<Record<string, unknown>>) => Either<t.Errors, A>

/**
 * Decodes as a codec of these fields does, but picks the fields of a valid object itself: io-ts makes a context, a result and
 * a list of faults for each of them, which is a thirtieth of a creation. What is not valid is left to the codec.
 */
export const picking = <A>(
  fields: Readonly<Record<string, t.Mixed>>,
  codec: t.Decoder<unknown, A> & Readonly<{ is: (value: unknown) => boolean }>,
): Decode<A> => {
  const names = Object.keys(fields)
  const isPartial = codec.is({})
  return value => {
    const picked: Record<string, unknown> = {}
    for (const name of names) {
      const field = value[name]
      if (isPartial && field === undefined) continue
      if (!fields[name]?.is(field)) return codec.decode(value)
      picked[name] = field
    }
    // every field is as the codec wants it
    return right(picked as A)
  }
}

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
