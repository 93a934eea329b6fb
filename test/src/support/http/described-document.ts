import { Ajv2020 } from 'ajv/dist/2020.js'

type Json = Readonly<Record<string, unknown>>

/** The keys that lead to a part of the document. */
export type Pointer = readonly string[]

/** An OpenAPI document, ready for lookups and validation. */
export type DescribedDocument = Readonly<{
  at: (pointer: Pointer) => unknown
  /** The pointer itself, or the target of the `$ref` there. */
  resolve: (pointer: Pointer) => Pointer
  /** Returns how the value violates the schema at the pointer, or undefined if it is valid. */
  mismatch: (schema: Pointer, value: unknown) => string | undefined
  /** Returns the path template that matches a path. */
  templateOf: (path: string) => string | undefined
}>

export const describedDocument = (text: string): DescribedDocument => {
  const document: Json = JSON.parse(text)
  const ajv = schemaCompiler().addSchema(document, 'api')
  const at = (pointer: Pointer): unknown => pointer.reduce<unknown>(child, document)
  const templates = keysAt(document.paths)
    // a literal path wins over a template
    .toSorted((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
    .map(template => ({ template, pattern: new RegExp(`^${template.replace(/\{[^}]*\}/g, '[^/]+')}$`) }))
  return {
    at,
    resolve: pointer => {
      const target = at([...pointer, '$ref'])
      return typeof target === 'string' ? pointerFrom(target) : pointer
    },
    mismatch: (schema, value) => {
      const validate = ajv.getSchema(`api#/${schema.map(escaped).join('/')}`)
      if (validate === undefined) throw new Error(`the document has no ${schema.join(' ')}`)
      return validate(value) === true ? undefined : ajv.errorsText(validate.errors, { dataVar: 'value' })
    },
    templateOf: path => templates.find(({ pattern }) => pattern.test(path))?.template,
  }
}

const schemaCompiler = (): Ajv2020 => {
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true })
  ajv.addFormat('date-time', isDateTime)
  ajv.addFormat('uri-reference', (value: string) => URL.canParse(value, 'http://any'))
  ajv.addFormat('int64', { type: 'number', validate: Number.isInteger })
  // the document itself is the root schema, so its keywords must be known
  ajv.addVocabulary(['openapi', 'info', 'paths', 'components', 'servers', 'security', 'tags'])
  return ajv
}

export const keysAt = (value: unknown): readonly string[] => (isObject(value) ? Object.keys(value) : [])

const dateTime = /^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$/

const isDateTime = (value: string): boolean => dateTime.test(value) && !Number.isNaN(Date.parse(value))

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const child = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

const pointerFrom = ($ref: string): Pointer =>
  $ref
    .slice('#/'.length)
    .split('/')
    .map(key => key.replaceAll('~1', '/').replaceAll('~0', '~'))

const escaped = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))
