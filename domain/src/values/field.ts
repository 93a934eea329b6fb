import * as t from 'io-ts'

/** The properties of a field besides its codec. The OpenAPI document and the body limit derive from them. */
export type Field<Example = unknown, Limits = Readonly<Record<string, number>>> = Readonly<{
  schema: Readonly<Record<string, unknown> & { examples: readonly [Example] }>
  /** The limits that the service publishes to clients. */
  limits: Limits
  /** The largest size of a value in JSON. */
  maxJsonBytes: number
  hasDefault?: true
}>

/** Makes a field optional, with a default. The schema omits the default: client generators would require the field. */
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
