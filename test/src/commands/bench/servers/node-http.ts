import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { isChanges, isContent, listening, neighboursOf, tagOf } from './peer.js'
import { type StoredSnippet, TrivialStore } from './trivial-store.js'

/**
 * The limit: what Node can do with all that a framework or a service does left out. It routes by comparing strings,
 * remembers the JSON of each snippet, and writes every answer at once.
 */
const store = new TrivialStore()
const list = '/api/snippets/'
const pages = '/api/snippets-viewset/'

const jsonOf = (snippet: StoredSnippet): string => {
  const { id, title, code, language, created_at } = snippet
  snippet.json ??= JSON.stringify({ id, title, code, language, created_at })
  return snippet.json
}

const write = (res: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void => {
  headers['Content-Type'] = 'application/json'
  headers['Content-Length'] = String(Buffer.byteLength(body))
  res.writeHead(status, headers).end(body)
}

const refuse = (res: ServerResponse, status: number): void => write(res, status, `{"status":${status}}`)

const show = (res: ServerResponse, snippet: StoredSnippet | undefined): void =>
  snippet === undefined ? refuse(res, 404) : write(res, 200, jsonOf(snippet), { ETag: tagOf(snippet) })

const showUnlessKnown = (req: IncomingMessage, res: ServerResponse, snippet: StoredSnippet | undefined): unknown => {
  if (snippet === undefined || req.headers['if-none-match'] !== tagOf(snippet)) return show(res, snippet)
  return res.writeHead(304, { ETag: tagOf(snippet) }).end()
}

const showPage = ({ headers }: IncomingMessage, res: ServerResponse, query: string): void => {
  const values: Record<string, string> = {}
  let others = ''
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=')
    values[pair.slice(0, equals)] = pair.slice(equals + 1)
    if (!pair.startsWith('page=')) others += `${pair}&`
  }
  const { language = '', ordering = '', page = '1' } = values
  const { count, items } = store.page({ language, ordering, page: Number(page), size: 10 })
  const { next, previous } = neighboursOf(Number(page), 10, count)
  const link = (to: number | undefined): string =>
    to === undefined ? 'null' : `"http://${headers.host}${pages}?${others}page=${to}"`
  const results = items.map(jsonOf).join(',')
  write(res, 200, `{"count":${count},"next":${link(next)},"previous":${link(previous)},"results":[${results}]}`)
}

const withBody = (req: IncomingMessage, use: (body: unknown) => void): void => {
  const chunks: Buffer[] = []
  req.on('data', chunk => chunks.push(chunk))
  req.on('end', () => use(JSON.parse(Buffer.concat(chunks).toString())))
}

const create = (res: ServerResponse, body: unknown): unknown => {
  if (!isContent(body)) return refuse(res, 400)
  const snippet = store.create(body)
  return write(res, 201, jsonOf(snippet), { ETag: tagOf(snippet), Location: `${list}${snippet.id}/` })
}

const onCollection = (req: IncomingMessage, res: ServerResponse): void => {
  if (req.method === 'POST') withBody(req, body => create(res, body))
  else write(res, 200, `{"snippets":[${store.all().map(jsonOf).join(',')}]}`)
}

const onItem = (req: IncomingMessage, res: ServerResponse, id: number): unknown => {
  if (req.method === 'GET') return showUnlessKnown(req, res, store.get(id))
  const isValid = req.method === 'PUT' ? isContent : isChanges
  return withBody(req, body => (isValid(body) ? show(res, store.update(id, body)) : refuse(res, 400)))
}

const server = createServer((req, res) => {
  const { url = '' } = req
  if (url === list) onCollection(req, res)
  else if (url.startsWith(list)) onItem(req, res, Number(url.slice(list.length, -1)))
  else if (url.startsWith(`${pages}?`)) showPage(req, res, url.slice(pages.length + 1))
  else if (url.startsWith(pages)) onItem(req, res, Number(url.slice(pages.length, -1)))
  else refuse(res, 404)
}).listen(0, '127.0.0.1', () => listening(server))
