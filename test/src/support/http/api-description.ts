import { Ajv2020 } from 'ajv/dist/2020.js'
import type { HttpResponse } from './raw-http.js'

type Fault = string | undefined

const compiled = new Map<string, ReturnType<typeof descriptionOf>>()

/** Returns a check of responses. Cached: compiling is slow, and nearly every service has the same OpenAPI document. */
export const apiDescription = (text: string) => {
  const known = compiled.get(text) ?? descriptionOf(text)
  compiled.set(text, known)
  return known
}

/** The statuses of requests that the server itself rejects, on any path. */
const rejectedStatuses = [400, 408, 414, 417, 421, 431]

/** An operation states every other status. */
const isLeftToDefault = (status: number): boolean =>
  status === 429 || status >= 500 || rejectedStatuses.includes(status)

/** The headers that clients act on. A response may have them only if they are documented. */
const actionableHeaders = ['etag', 'location', 'retry-after']

/** Forbids other properties in schemas of objects. The document allows them, because a later version may add some. */
const closeSchemas = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'properties' in value
    ? { ...value, additionalProperties: false }
    : value

const descriptionOf = (text: string) => {
  const document = JSON.parse(text, closeSchemas)
  const ajv = schemaCompiler().addSchema(document, 'api')
  const at = (pointer: string) =>
    pointer.split('/').reduce((part, key) => (key === '#' ? part : part?.[key.replaceAll('~1', '/')]), document)
  /** Returns the pointer to a part, or to the target of its `$ref`. */
  const pointerTo = (...keys: readonly string[]): string => {
    const pointer = keys.map((key, i) => (i === 0 ? key : key.replaceAll('/', '~1'))).join('/')
    return at(pointer)?.$ref ?? pointer
  }
  const mismatch = (schema: string, value: unknown): Fault => {
    const validate = ajv.getSchema(`api${encodeURI(schema)}`)
    if (validate === undefined) throw new Error(`the document has no ${schema}`)
    return validate(value) === true ? undefined : ajv.errorsText(validate.errors, { dataVar: 'value' })
  }
  const templates = Object.keys(document.paths)
    // a literal path wins over a template
    .toSorted((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
    .map(template => ({ template, pattern: new RegExp(`^${template.replace(/\{[^}]*\}/g, '[^/]+')}$`) }))
  const templateOf = (path: string): string | undefined => templates.find(({ pattern }) => pattern.test(path))?.template

  const problemFault = (method: string, { headers, text }: HttpResponse): Fault => {
    if (headers['content-type'] !== 'application/problem+json') return `a problem of type ${headers['content-type']}`
    if (method === 'HEAD') return text === '' ? undefined : 'a body'
    return mismatch('#/components/schemas/Problem', JSON.parse(text))
  }

  const unknownPathFault = (method: string, path: string, response: HttpResponse): Fault => {
    if (response.status === 308) {
      if (templateOf(`${path}/`) === undefined) return 'a redirect to an unknown path'
      return response.headers['content-type'] === 'text/plain; charset=utf-8' ? undefined : 'a redirect of another type'
    }
    if (response.status !== 404 && !rejectedStatuses.includes(response.status)) return 'an undocumented path'
    return problemFault(method, response)
  }

  const headerFault = (documented: string, { headers }: HttpResponse): Fault => {
    const described = Object.keys(at(documented).headers ?? {})
    for (const name of described) {
      const pointer = pointerTo(documented, 'headers', name)
      const { required, schema } = at(pointer)
      const value = headers[name.toLowerCase()]
      if (value === undefined && required === true) return `no ${name}`
      const parsed = schema.type === 'integer' ? Number(value) : value
      const fault = value === undefined ? undefined : mismatch(`${pointer}/schema`, parsed)
      if (fault !== undefined) return `${name}: ${fault}`
    }
    const names = described.map(name => name.toLowerCase())
    const undocumented = actionableHeaders.find(name => headers[name] !== undefined && !names.includes(name))
    return undocumented === undefined ? undefined : `an undocumented ${undocumented}`
  }

  const bodyFault = (documented: string, method: string, { headers, text }: HttpResponse): Fault => {
    const types = Object.keys(at(documented).content ?? {})
    if (types.length === 0) return text === '' ? undefined : 'a body where none is documented'
    const type = headers['content-type'] ?? 'none'
    if (!types.includes(type)) return `a body of type ${type}`
    if (method === 'HEAD') return undefined
    const value = type.startsWith('text/') ? text : JSON.parse(text)
    return mismatch(`${pointerTo(documented, 'content', type)}/schema`, value)
  }

  return {
    /** Returns how the response violates the document, or undefined if it conforms. */
    faultOf: (method: string, path: string, response: HttpResponse): Fault => {
      // the contract tests OPTIONS and Allow
      if (method === 'OPTIONS' && response.status === 204) return undefined
      const template = templateOf(path)
      if (template === undefined) return unknownPathFault(method, path, response)
      if (response.status === 405) return problemFault(method, response)
      const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
      const responses = pointerTo('#', 'paths', template, verb, 'responses')
      const isStated = at(`${responses}/${response.status}`) !== undefined
      if (!isStated && !isLeftToDefault(response.status)) return `${response.status} is not documented`
      const documented = pointerTo(responses, isStated ? String(response.status) : 'default')
      if (at(documented) === undefined) return problemFault(method, response)
      return headerFault(documented, response) ?? bodyFault(documented, method, response)
    },
  }
}

const schemaCompiler = (): Ajv2020 => {
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true })
  ajv.addFormat('date-time', value => dateTime.test(value) && !Number.isNaN(Date.parse(value)))
  ajv.addFormat('uri-reference', value => URL.canParse(value, 'http://any'))
  ajv.addFormat('int64', { type: 'number', validate: Number.isInteger })
  // the document itself is the root schema, so its keywords must be known
  ajv.addVocabulary(['openapi', 'info', 'paths', 'components', 'servers', 'security', 'tags', 'externalDocs'])
  return ajv
}

const dateTime = /^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$/
