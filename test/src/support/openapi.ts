import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Answer } from './raw-http.js'

/** The service's own description of itself, to hold its answers against. */
export type ApiDescription = Readonly<{
  document: Json
  /** What the description does not allow in this answer; undefined when all is well. */
  faultOf: (method: string, path: string, answer: Answer) => string | undefined
}>

type Json = Readonly<Record<string, unknown>>

const compiled = new Map<string, ApiDescription>()

/** Compiling takes a while, and every service of a test run has the same description. */
export const apiDescription = (text: string): ApiDescription => {
  const known = compiled.get(text)
  if (known !== undefined) return known
  const made = compile(JSON.parse(text))
  compiled.set(text, made)
  return made
}

const dateTime = /^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$/

const compile = (document: Json): ApiDescription => {
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true })
  ajv.addFormat('date-time', { validate: (text: string) => dateTime.test(text) && !Number.isNaN(Date.parse(text)) })
  ajv.addFormat('uri', { validate: (text: string) => URL.canParse(text) })
  ajv.addFormat('int64', { type: 'number', validate: Number.isInteger })
  ajv.addVocabulary(['openapi', 'info', 'paths', 'components', 'servers', 'tags'])
  ajv.addSchema(document, 'api')

  const at = (pointer: readonly string[]): unknown => pointer.reduce<unknown>(child, document)
  const follow = (value: unknown): Json | undefined => {
    if (!isObject(value)) return undefined
    const { $ref } = value
    return typeof $ref === 'string' ? follow(at(keysOf($ref))) : value
  }
  const mismatch = (pointer: readonly string[], value: unknown): string | undefined => {
    const validate = ajv.getSchema(`api#/${pointer.map(escaped).join('/')}`)
    if (validate === undefined) throw new Error(`the description has no ${pointer.join('/')}`)
    return validate(value) === true ? undefined : ajv.errorsText(validate.errors, { dataVar: 'body' })
  }
  /** Where a value is, once the references on the way to it are followed. */
  const located = (pointer: readonly string[]): readonly string[] => {
    const target = at([...pointer, '$ref'])
    return typeof target === 'string' ? keysOf(target) : pointer
  }

  const templates = Object.keys(isObject(document['paths']) ? document['paths'] : {})
    // a path without parameters goes before one that has some
    .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
    .map(template => ({ template, pattern: new RegExp(`^${template.replace(/\{[^}]*\}/g, '[^/]+')}$`) }))
  const templateOf = (path: string): string | undefined => templates.find(({ pattern }) => pattern.test(path))?.template

  const problemFault = (method: string, { headers, text }: Answer): string | undefined => {
    if (headers['content-type'] !== 'application/problem+json') return `a problem of type ${headers['content-type']}`
    if (method === 'HEAD') return text === '' ? undefined : 'a body'
    return mismatch(['components', 'schemas', 'Problem'], JSON.parse(text))
  }

  const headerFault = (pointer: readonly string[], { headers }: Answer): string | undefined => {
    const documented = follow(at(pointer)) ?? {}
    for (const [name, description] of Object.entries(documented)) {
      const value = headers[name.toLowerCase()]
      if (value === undefined) {
        if (follow(description)?.['required'] === true) return `no ${name}`
        continue
      }
      const fault = mismatch([...located([...pointer, name]), 'schema'], value)
      if (fault !== undefined) return `${name}: ${fault}`
    }
    const names = Object.keys(documented).map(name => name.toLowerCase())
    const missing = tellingHeaders.find(name => headers[name] !== undefined && !names.includes(name))
    return missing === undefined ? undefined : `an undocumented ${missing}`
  }

  const bodyFault = (pointer: readonly string[], method: string, { headers, text }: Answer): string | undefined => {
    const content = at(pointer)
    if (!isObject(content)) return text === '' ? undefined : 'a body where none is documented'
    const type = headers['content-type'] ?? 'none'
    if (content[type] === undefined) return `a body of type ${type}`
    return method === 'HEAD' ? undefined : mismatch([...pointer, type, 'schema'], JSON.parse(text))
  }

  const responseFault = (pointer: readonly string[], method: string, answer: Answer): string | undefined =>
    headerFault([...pointer, 'headers'], answer) ?? bodyFault([...pointer, 'content'], method, answer)

  const offMapFault = (method: string, path: string, answer: Answer): string | undefined => {
    if (answer.status === 308) {
      if (templateOf(`${path}/`) === undefined) return 'a redirect to nowhere'
      return answer.text === '' ? undefined : 'a redirect with a body'
    }
    return refusals.includes(answer.status) || answer.status === 404 ? problemFault(method, answer) : 'an undocumented path'
  }

  const allowFault = (template: string, { headers }: Answer): string | undefined => {
    const item = child(document['paths'], template)
    const methods = isObject(item) ? Object.keys(item).filter(key => verbs.includes(key)) : []
    const documented = [...methods, 'options', ...(methods.includes('get') ? ['head'] : [])].sort().join()
    const allowed = (headers['allow'] ?? '').toLowerCase().split(/, */).sort().join()
    return documented === allowed ? undefined : `Allow is ${headers['allow']} where ${documented} are documented`
  }

  const faultOf: ApiDescription['faultOf'] = (method, path, answer) => {
    const template = templateOf(path)
    if (template === undefined) return offMapFault(method, path, answer)
    if (method === 'OPTIONS' && answer.status === 204) return allowFault(template, answer)
    if (answer.status === 405) return allowFault(template, answer) ?? problemFault(method, answer)
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
    const pointer = located(['paths', template, verb, 'responses', String(answer.status)])
    if (at(pointer) !== undefined) return responseFault(pointer, method, answer)
    return refusals.includes(answer.status) ? problemFault(method, answer) : `${answer.status} is not documented`
  }
  return { document, faultOf }
}

const verbs = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** What is refused for the form of the request alone, whatever it asks for. */
const refusals = [400, 408, 417, 431]

/** Headers that clients act on. */
const tellingHeaders = ['etag', 'location', 'retry-after']

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const child = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

/** The keys on the way to what a local `$ref` names. */
const keysOf = ($ref: string): readonly string[] =>
  $ref
    .slice('#/'.length)
    .split('/')
    .map(key => key.replaceAll('~1', '/').replaceAll('~0', '~'))

const escaped = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))
