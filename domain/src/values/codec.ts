import * as t from 'io-ts'

/** The reason for rejecting a value: a code for programs, a sentence for people. */
export type Reason<Code = 'required' | 'type' | 'length' | 'encoding'> = Readonly<{
  code: Code
  message: string
}>

/** The reason for rejecting the value with this name. */
export type NamedReason<R = Reason> = Readonly<{ name: string }> & R

type ExplainedError = t.ValidationError & Readonly<{ reason: Reason }>

/** Creates a codec that accepts a value unless `validate` returns a reason. It encodes values unchanged. */
export const codec = <A>(name: string, validate: (value: unknown) => Reason | undefined): t.Type<A, A, unknown> => {
  const is = (value: unknown): value is A => validate(value) === undefined
  return new t.Type(
    name,
    is,
    (value, context) => {
      const reason = validate(value)
      // without a reason against it, the value is an A
      if (reason === undefined) return t.success(value as A)
      const error: ExplainedError = { value, context, reason }
      return t.failures([error])
    },
    t.identity,
  )
}

/** Returns the reasons in the order of the fields. */
export const reasonsOf = (errors: t.Errors): readonly NamedReason[] => errors.map(reasonOf)

/** Errors of codecs from io-ts itself have no reason. */
const invalid: Reason = { code: 'type', message: 'is not valid' }

const reasonOf = (error: t.ValidationError): NamedReason => {
  const name = error.context
    .map(({ key }) => key)
    .filter(key => key !== '')
    .join('.')
  return { name, ...(hasReason(error) ? error.reason : invalid) }
}

const hasReason = (error: t.ValidationError): error is ExplainedError => 'reason' in error
