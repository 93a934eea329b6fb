// Koa written the ordinary way: @koa/router, koa-bodyparser, ctx.body.
import Router from '@koa/router'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import { isChanges, isContent, listening, pageOf, tagOf, view } from '../dist/commands/bench/servers/peer.js'
import { TrivialStore } from '../dist/commands/bench/servers/trivial-store.js'

const store = new TrivialStore()
const router = new Router()
const pages = '/api/snippets-viewset/'

const show = (ctx, snippet, status = 200) => {
  if (snippet === undefined) ctx.throw(404)
  ctx.status = status
  ctx.etag = tagOf(snippet)
  ctx.body = view(snippet)
}

const update = isValid => ctx => {
  if (!isValid(ctx.request.body)) ctx.throw(400)
  show(ctx, store.update(Number(ctx.params.id), ctx.request.body))
}

router.get('/api/snippets/', ctx => {
  ctx.body = { snippets: store.all().map(view) }
})
router.post('/api/snippets/', ctx => {
  if (!isContent(ctx.request.body)) ctx.throw(400)
  const snippet = store.create(ctx.request.body)
  ctx.set('Location', `/api/snippets/${snippet.id}/`)
  show(ctx, snippet, 201)
})
router.get('/api/snippets/:id/', ctx => {
  show(ctx, store.get(Number(ctx.params.id)))
  if (ctx.fresh) ctx.status = 304
})
router.put('/api/snippets/:id/', update(isContent))
router.patch(`${pages}:id/`, update(isChanges))
router.get(pages, ctx => {
  const { language, ordering, page } = ctx.query
  const found = store.page({ language, ordering, page: Number(page), size: 10 })
  ctx.body = pageOf(`http://${ctx.host}${ctx.path}`, ctx.query, found)
})

const app = new Koa()
app.use(bodyParser())
app.use(router.routes())
app.use(router.allowedMethods())
const server = app.listen(0, '127.0.0.1', () => listening(server))
