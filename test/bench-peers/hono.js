import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { isChanges, isContent, listening, pageOf, tagOf, view } from '../dist/commands/bench/servers/peer.js'
import { TrivialStore } from '../dist/commands/bench/servers/trivial-store.js'

const store = new TrivialStore()
const pages = '/api/snippets-viewset/'

const show = (c, snippet, status = 200) =>
  snippet === undefined ? c.notFound() : c.json(view(snippet), status, { ETag: tagOf(snippet) })

const update = isValid => async c => {
  const body = await c.req.json()
  return isValid(body) ? show(c, store.update(Number(c.req.param('id')), body)) : c.body(null, 400)
}

const app = new Hono()
app.get('/api/snippets/', c => c.json({ snippets: store.all().map(view) }))
app.post('/api/snippets/', async c => {
  const body = await c.req.json()
  if (!isContent(body)) return c.body(null, 400)
  const snippet = store.create(body)
  c.header('Location', `/api/snippets/${snippet.id}/`)
  return show(c, snippet, 201)
})
app.get('/api/snippets/:id/', c => {
  const snippet = store.get(Number(c.req.param('id')))
  if (snippet === undefined || c.req.header('If-None-Match') !== tagOf(snippet)) return show(c, snippet)
  return c.body(null, 304, { ETag: tagOf(snippet) })
})
app.put('/api/snippets/:id/', update(isContent))
app.patch(`${pages}:id/`, update(isChanges))
app.get(pages, c => {
  const query = c.req.query()
  const { language, ordering, page } = query
  const found = store.page({ language, ordering, page: Number(page), size: 10 })
  return c.json(pageOf(`http://${c.req.header('Host')}${c.req.path}`, query, found))
})
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => listening(server))
