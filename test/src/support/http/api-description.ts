import { type DescribedDocument, describedDocument, keysAt, type Pointer } from './described-document.js'
import type { HttpResponse } from './raw-http.js'

/** A check of responses against the OpenAPI document of the service. */
export type ApiDescription = Readonly<{
  /** Returns how the response violates the document, or undefined if it conforms. */
  faultOf: (method: string, path: string, response: HttpResponse) => string | undefined
}>

const compiled = new Map<string, ApiDescription>()

/** Cached: compiling is slow, and nearly every service in a test run has the same document. */
export const apiDescription = (text: string): ApiDescription => {
  const known = compiled.get(text) ?? descriptionOf(describedDocument(text))
  compiled.set(text, known)
  return known
}

const descriptionOf = (document: DescribedDocument): ApiDescription => ({
  faultOf: (method, path, response) => {
    const template = document.templateOf(path)
    if (template === undefined) return unknownPathFault(document, method, path, response)
    if (method === 'OPTIONS' && response.status === 204) return allowFault(document, template, response)
    if (response.status === 405)
      return allowFault(document, template, response) ?? problemFault(document, method, response)
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
    const responses = ['paths', template, verb, 'responses']
    const isStated = document.at([...responses, String(response.status)]) !== undefined
    if (!isStated && !isLeftToDefault(response.status)) return `${response.status} is not documented`
    const documented = document.resolve([...responses, isStated ? String(response.status) : 'default'])
    if (document.at(documented) === undefined) return problemFault(document, method, response)
    return headerFault(document, documented, response) ?? bodyFault(document, documented, method, response)
  },
})

/** The statuses of requests that the server itself rejects, on any path. */
const rejectedStatuses = [400, 408, 414, 417, 421, 431]

/** An operation states every other status. */
const isLeftToDefault = (status: number): boolean =>
  status === 429 || status >= 500 || rejectedStatuses.includes(status)

type Fault = string | undefined

const unknownPathFault = (document: DescribedDocument, method: string, path: string, response: HttpResponse): Fault => {
  if (path === '*' && method === 'OPTIONS' && response.status === 204) return serverAllowFault(response)
  if (response.status === 308) {
    if (document.templateOf(`${path}/`) === undefined) return 'a redirect to an unknown path'
    return redirectFault(method, response)
  }
  if (response.status !== 404 && !rejectedStatuses.includes(response.status)) return 'an undocumented path'
  return problemFault(document, method, response)
}

/** The body of a redirect names the target, because some clients do not show the Location. */
const redirectFault = (method: string, { headers, text }: HttpResponse): Fault => {
  const { location = 'none', 'content-type': type } = headers
  if (type !== 'text/plain; charset=utf-8') return `a redirect of type ${type}`
  const target = location.length > 100 ? 'the Location of this response' : location
  return method === 'HEAD' || text.includes(target) ? undefined : 'a redirect whose body does not name its target'
}

const serverAllowFault = ({ headers }: HttpResponse): Fault =>
  headers.allow === 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' ? undefined : `Allow is ${headers.allow}`

const problemFault = (document: DescribedDocument, method: string, { headers, text }: HttpResponse): Fault => {
  if (headers['content-type'] !== 'application/problem+json') return `a problem of type ${headers['content-type']}`
  if (method === 'HEAD') return text === '' ? undefined : 'a body'
  return document.mismatch(['components', 'schemas', 'Problem'], JSON.parse(text))
}

const verbs = ['get', 'put', 'post', 'delete', 'patch']

/** Allow must name the described methods, OPTIONS, and HEAD where there is GET. */
const allowFault = (document: DescribedDocument, template: string, { headers }: HttpResponse): Fault => {
  const described = keysAt(document.at(['paths', template])).filter(key => verbs.includes(key))
  const expected = [...described, 'options', ...(described.includes('get') ? ['head'] : [])].sort().join()
  const allowed = (headers.allow ?? '').toLowerCase().split(/, */).sort().join()
  return expected === allowed ? undefined : `Allow is ${headers.allow}, expected ${expected}`
}

/** The headers that clients act on. A response may have them only if they are documented. */
const actionableHeaders = ['etag', 'location', 'retry-after']

const headerFault = (document: DescribedDocument, documented: Pointer, { headers }: HttpResponse): Fault => {
  const described = keysAt(document.at([...documented, 'headers']))
  for (const name of described) {
    const pointer = document.resolve([...documented, 'headers', name])
    const value = headers[name.toLowerCase()]
    if (value === undefined && document.at([...pointer, 'required']) === true) return `no ${name}`
    const isInteger = document.at([...pointer, 'schema', 'type']) === 'integer'
    const parsed = isInteger ? Number(value) : value
    const fault = value === undefined ? undefined : document.mismatch([...pointer, 'schema'], parsed)
    if (fault !== undefined) return `${name}: ${fault}`
  }
  const names = described.map(name => name.toLowerCase())
  const undocumented = actionableHeaders.find(name => headers[name] !== undefined && !names.includes(name))
  return undocumented === undefined ? undefined : `an undocumented ${undocumented}`
}

const bodyFault = (document: DescribedDocument, documented: Pointer, method: string, response: HttpResponse): Fault => {
  const { headers, text } = response
  const types = keysAt(document.at([...documented, 'content']))
  if (types.length === 0) return text === '' ? undefined : 'a body where none is documented'
  const type = headers['content-type'] ?? 'none'
  if (!types.includes(type)) return `a body of type ${type}`
  if (method === 'HEAD') return undefined
  const value = type.startsWith('text/') ? text : JSON.parse(text)
  return document.mismatch([...documented, 'content', type, 'schema'], value)
}
