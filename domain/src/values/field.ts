import * as t from 'io-ts'

/** What the codec of a field says about it. Documents, limits and sizes are derived from it. */
export type Field<Example = unknown, Limits = Readonly<Record<string, number>>> = Readonly<{
  /** Its JSON Schema. */
  schema: Readonly<Record<string, unknown> & { examples: readonly [Example] }>
  /** As clients are told them. */
  limits: Limits
  /** The size of its largest value. */
  maxJsonBytes: number
  hasDefault?: true
}>

/** A field that may be missing. The schema has no `default`, as generators of clients would then make it required. */
export const withDefault = <F extends t.Any & Field>(
  { name, is, validate, encode, schema, limits, maxJsonBytes }: F,
  fallback: t.OutputOf<F>,
): t.Type<t.TypeOf<F>, t.OutputOf<F>, unknown> & Field<F['schema']['examples'][0], F['limits']> =>
  Object.assign(
    new t.Type<t.TypeOf<F>, t.OutputOf<F>, unknown>(
      name,
      is,
      (value, context) => validate(value === undefined ? fallback : value, context),
      encode,
    ),
    { schema, limits, maxJsonBytes, hasDefault: true as const },
  )
