import { Ajv2020 } from 'ajv/dist/2020.js'

type Json = Readonly<Record<string, unknown>>

/** The way to a part of the document, key by key. */
export type Pointer = readonly string[]

/** An OpenAPI document, to be looked things up in. */
export type DescribedDocument = Readonly<{
  at: (pointer: Pointer) => unknown
  /** The pointer itself, or where its `$ref` leads. */
  located: (pointer: Pointer) => Pointer
  /** What the schema there does not allow in the value; undefined when all is well. */
  mismatch: (schema: Pointer, value: unknown) => string | undefined
  /** The path template that a path belongs to. */
  templateOf: (path: string) => string | undefined
}>

export const describedDocument = (text: string): DescribedDocument => {
  const document: Json = JSON.parse(text)
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true })
  ajv.addFormat('date-time', isDateTime)
  ajv.addFormat('uri', (value: string) => URL.canParse(value))
  ajv.addFormat('int64', { type: 'number', validate: Number.isInteger })
  ajv.addVocabulary(['openapi', 'info', 'paths', 'components', 'servers', 'tags'])
  ajv.addSchema(document, 'api')

  const at = (pointer: Pointer): unknown => pointer.reduce<unknown>(child, document)
  const templates = keysAt(document.paths)
    // a path without parameters goes before one that has some
    .toSorted((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
    .map(template => ({ template, pattern: new RegExp(`^${template.replace(/\{[^}]*\}/g, '[^/]+')}$`) }))
  return {
    at,
    located: pointer => {
      const target = at([...pointer, '$ref'])
      return typeof target === 'string' ? pointerFrom(target) : pointer
    },
    mismatch: (schema, value) => {
      const validate = ajv.getSchema(`api#/${schema.map(escaped).join('/')}`)
      if (validate === undefined) throw new Error(`the description has no ${schema.join(' ')}`)
      return validate(value) === true ? undefined : ajv.errorsText(validate.errors, { dataVar: 'it' })
    },
    templateOf: path => templates.find(({ pattern }) => pattern.test(path))?.template,
  }
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
