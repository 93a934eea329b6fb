// Koa written the ordinary way (@koa/router, koa-bodyparser, ctx.body), doing what this service does by default.
import Router from '@koa/router'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import pino from 'pino'
import * as shared from './shared.js'

const log = pino(pino.destination({ dest: 2, sync: false }))
const app = new Koa()
const router = new Router()

const sendProblem = (ctx, status, title, errors) => {
  ctx.status = status
  ctx.body = shared.problem(status, title, errors)
  ctx.type = 'application/problem+json'
}

app.use(async (ctx, next) => {
  const begun = performance.now()
  const requestId = shared.requestId(ctx.get('X-Request-Id'))
  ctx.set({ ...shared.headers, 'X-Request-Id': requestId })
  ctx.res.once('finish', () => {
    const { method, status, path, length: bytes } = ctx
    log.info({ requestId, method, path, status, bytes, ms: performance.now() - begun }, 'request')
  })
  try {
    await next()
    if (ctx.status === 404 && ctx.body == null) sendProblem(ctx, 404, 'Not found')
  } catch (error) {
    sendProblem(ctx, error.status ?? 500, 'Rejected')
  }
})
app.use(bodyParser({ enableTypes: ['json'] }))

const show = (ctx, snippet) => {
  ctx.etag = shared.tagOf(snippet)
  ctx.body = snippet
}

router.get('/api/snippets/:id/', ctx => {
  const snippet = shared.find(Number(ctx.params.id))
  if (snippet === undefined) return sendProblem(ctx, 404, 'Not found')
  show(ctx, snippet)
  if (ctx.fresh) ctx.status = 304
})
router.post('/api/snippets/', ctx => {
  const faults = shared.faultsOf(ctx.request.body)
  if (faults.length > 0) return sendProblem(ctx, 400, 'Invalid body', faults)
  const snippet = shared.add(ctx.request.body)
  ctx.status = 201
  ctx.set('Location', shared.locationOf(snippet))
  show(ctx, snippet)
})
router.get('/api/snippets-viewset/', ctx => {
  const faults = shared.queryFaultsOf(ctx.query)
  if (faults.length > 0) return sendProblem(ctx, 400, 'Invalid query string', faults)
  const url = `http://${ctx.host}/api/snippets-viewset/`
  const page = shared.pageOf(url, { ...ctx.query, page: Number(ctx.query.page ?? 1) })
  ctx.body = page
})
app.use(router.routes()).use(router.allowedMethods())
app.listen(process.env.PORT, '127.0.0.1')
