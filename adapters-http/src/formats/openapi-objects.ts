/** An object of the OpenAPI document, such as a Header or Parameter Object. */
export type OpenApiObject = Readonly<Record<string, unknown>>

export type Schema = OpenApiObject

/** The body of a request or a response. Without media types it is JSON. */
export type BodyDescription = Readonly<{
  /** The name of its schema in the document. */
  name: string
  schema: Schema
  mediaTypes?: readonly string[]
  example: unknown
}>

/** Describes an object with all of these properties. A later version may add some, so the schema allows others. */
export const objectSchema = (description: string, properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  description,
  properties,
  required: Object.keys(properties),
})

export const schemaRef = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

export const enumSchema = (values: readonly string[]): Schema => ({ type: 'string', enum: values })

/** Describes a header that every response of its kind has. */
export const header = (description: string, example: string | number, rules: Schema = {}): OpenApiObject => ({
  description,
  required: true,
  schema: { type: typeof example === 'number' ? 'integer' : 'string', ...rules },
  example,
})

export const optionalHeader = (header: OpenApiObject): OpenApiObject => ({ ...header, required: false })

/** Describes a response header that always has the same value. */
export const constantHeader = (description: string, value: string): OpenApiObject =>
  header(description, value, { const: value })

export const idSchema: Schema = { type: 'integer', format: 'int64', minimum: 1 }
