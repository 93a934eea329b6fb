/** A JSON Schema, or any other object of the OpenAPI document. */
export type Schema = Readonly<Record<string, unknown>>

export const objectOf = (properties: Readonly<Record<string, Schema>>, required = Object.keys(properties)): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
})

/** For what the service writes: exactly these properties. */
export const exactObjectOf = (properties: Readonly<Record<string, Schema>>, required?: string[]): Schema => ({
  ...objectOf(properties, required),
  additionalProperties: false,
})

export const idSchema: Schema = {
  type: 'integer',
  format: 'int64',
  minimum: 1,
  description: 'Assigned by the service, from 1 upwards, and never assigned again.',
}
