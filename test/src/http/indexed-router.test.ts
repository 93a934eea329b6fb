import { IndexedRouter } from '@snippets/adapters-http/koa/indexed-router.js'
import { expect } from 'chai'

const handler = () => {}

const router = () => new IndexedRouter({ notFound: handler, missingSlash: handler, otherMethod: handler })

describe('IndexedRouter', () => {
  for (const path of [
    '/api/:x/b/:y/',
    '/api/:x/:y/',
    '/api/:x/b/c/',
    '/api/:x',
    '/api/x',
    '/api/*rest/',
    '/api/{:x/}',
    'api/',
  ])
    it(`refuses ${path} at start`, () => {
      const table = router()
      table.register(path, ['GET'], handler)
      expect(() => table.routes()).to.throw(`IndexedRouter cannot hold ${path}`)
    })

  it('refuses router.use at start', () => {
    expect(() => router().use()).to.throw('add it to the app')
  })

  it('refuses router.param at start', () => {
    expect(() => router().param()).to.throw('read the parameter in the route')
  })

  it('refuses a route with two handlers', () => {
    const table = router()
    table.get('/api/', handler, handler)
    expect(() => table.routes()).to.throw('/api/ needs exactly one handler')
  })

  it('refuses a route that is registered twice', () => {
    const table = router()
    table.get('/api/', handler)
    table.register('/api/', ['GET'], handler)
    expect(() => table.routes()).to.throw('/api/ is registered twice')
  })

  it('holds whole paths and paths with one parameter near the end, from any verb of @koa/router', () => {
    const table = router()
    table.get('/', handler).post('/api/', handler).put('/api/:name/', handler).all('/api/else/', handler)
    table.get('/api/:name/part/', handler)
    expect(() => table.routes()).not.to.throw()
  })
})
