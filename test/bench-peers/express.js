import express from 'express'
import { isChanges, isContent, listening, pageOf, tagOf, view } from '../dist/commands/bench/servers/peer.js'
import { TrivialStore } from '../dist/commands/bench/servers/trivial-store.js'

const store = new TrivialStore()
const pages = '/api/snippets-viewset/'

// express answers 304 itself where the tag that was asked for is the one that is set
const show = (res, snippet) =>
  snippet === undefined ? res.sendStatus(404) : res.set('ETag', tagOf(snippet)).json(view(snippet))

const update = isValid => (req, res) =>
  isValid(req.body) ? show(res, store.update(Number(req.params.id), req.body)) : res.sendStatus(400)

const app = express()
app.use(express.json())
app.get('/api/snippets/', (_req, res) => res.json({ snippets: store.all().map(view) }))
app.post('/api/snippets/', (req, res) => {
  if (!isContent(req.body)) return res.sendStatus(400)
  const snippet = store.create(req.body)
  show(res.status(201).location(`/api/snippets/${snippet.id}/`), snippet)
})
app.get('/api/snippets/:id/', (req, res) => show(res, store.get(Number(req.params.id))))
app.put('/api/snippets/:id/', update(isContent))
app.patch(`${pages}:id/`, update(isChanges))
app.get(pages, (req, res) => {
  const { language, ordering, page } = req.query
  const found = store.page({ language, ordering, page: Number(page), size: 10 })
  res.json(pageOf(`http://${req.host}${req.path}`, req.query, found))
})
const server = app.listen(0, '127.0.0.1', () => listening(server))
