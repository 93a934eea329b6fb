import { json, text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import cors from '@koa/cors'
import { unavailable } from '@snippets/domain/errors.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import type { Middleware } from 'koa'
import koaCompress from 'koa-compress'
import { httpContract } from '../contracts/http/http-contract.js'
import { openConnection } from '../support/http/raw-http.js'
import { servicePerTest, sharedService } from '../support/service/mocha-service.js'
import { anId, draft } from '../support/snippets.js'

const passThrough: Middleware = (_ctx, next) => next()

const content = { title: 't', code: 'some code '.repeat(200), language: 'l' }
const body = JSON.stringify(content)
const headers = { 'Content-Type': 'application/json' }

describe('The app under other Koa middleware', () => {
  const service = sharedService({ middleware: [passThrough] })
  httpContract('the app as ordinary Koa', { url: () => service.url })

  it('logs no warning and no error under the contract', () => {
    expect(service.log).to.deep.equal([])
  })
})

describe('Middleware that follows what Node does', () => {
  const start = servicePerTest()

  it('finds the socket in the response, and sees the response finish', async () => {
    const seen: unknown[] = []
    const follow: Middleware = async ({ req, res }, next) => {
      seen.push(res.socket === req.socket)
      res.once('finish', () => seen.push('finish'))
      await next()
    }
    const { url } = await start({ middleware: [follow] })
    await (await fetch(`${url}/api/users/`)).text()
    while (seen.length < 2) await wait(1)
    expect(seen).to.deep.equal([true, 'finish'])
  })
})

describe('@koa/cors', () => {
  const service = sharedService({ middleware: [cors({ origin: 'https://example.org' })] })
  const origin = { Origin: 'https://example.org' }

  it('answers a preflight by itself', async () => {
    const preflight = { ...origin, 'Access-Control-Request-Method': 'PUT' }
    const response = await fetch(`${service.url}/api/snippets/1/`, { method: 'OPTIONS', headers: preflight })
    expect(response.status).to.equal(204)
    expect(response.headers.get('Access-Control-Allow-Methods')).to.include('PUT')
  })

  for (const path of ['/api/snippets/', '/api/users/', '/api/snippets/1/', '/nowhere/', '/api/snippets/?x=1'])
    it(`allows the origin to read the answer to ${path}`, async () => {
      const response = await fetch(service.url + path, { headers: origin })
      expect(response.headers.get('Access-Control-Allow-Origin')).to.equal('https://example.org')
    })
})

/** Its types are those of an older Koa. */
const compress = koaCompress({ threshold: 0, br: false }) as unknown as Middleware

describe('koa-compress', () => {
  const service = sharedService({ middleware: [compress] })
  const gzip = { 'Accept-Encoding': 'gzip' }

  it('compresses a snippet and keeps its ETag', async () => {
    const created = await service.client.post('/api/snippets/', content)
    const answer = await service.client.get(created.headers.location ?? '')
    expect(answer.headers.etag).to.equal(created.headers.etag)
    const zipped = await fetch(service.url + created.headers.location, { headers: gzip })
    expect(zipped.headers.get('Content-Encoding')).to.equal('gzip')
    expect(zipped.headers.get('ETag')).to.equal(created.headers.etag)
    expect(await zipped.text()).to.equal(answer.text)
  })

  it('compresses a page of more than 256 KB, which stays whole', async () => {
    const codes = Array.from({ length: 40 }, (_, i) => `${i} é ${'0123456789'.repeat(990)}`)
    for (const code of codes) await service.client.post('/api/snippets/', { ...content, code, language: 'large' })
    const response = await fetch(`${service.url}/api/snippets-viewset/?language=large&page_size=100`, { headers: gzip })
    expect(response.headers.get('Content-Encoding')).to.equal('gzip')
    const text = await response.text()
    expect(text.length).to.be.above(256 * 1024)
    expect(JSON.parse(text).results.map(({ code }: { code: string }) => code)).to.deep.equal(codes)
  })

  it('compresses the streamed list', async () => {
    await service.client.post('/api/snippets/', content)
    const response = await fetch(`${service.url}/api/snippets/`, { headers: gzip })
    expect(response.headers.get('Content-Encoding')).to.equal('gzip')
    expect(await response.json()).to.have.property('snippets').that.is.not.empty
  })
})

describe('Custom middleware', () => {
  const start = servicePerTest()

  it('sees the path, sets a header and a cookie, and times the request', async () => {
    const seen: string[] = []
    const timing: Middleware = async (ctx, next) => {
      const begun = performance.now()
      await next()
      seen.push(`${ctx.method} ${ctx.path} ${ctx.status}`)
      ctx.set('Server-Timing', `app;dur=${performance.now() - begun}`)
      ctx.cookies.set('seen', 'yes')
    }
    const { url } = await start({ middleware: [timing] })
    const response = await fetch(`${url}/api/snippets/`, { method: 'POST', body, headers })
    expect(seen).to.deep.equal(['POST /api/snippets/ 201'])
    expect(response.headers.get('Server-Timing')).to.match(/^app;dur=[0-9.]+$/)
    expect(response.headers.get('Set-Cookie')).to.include('seen=yes')
    expect(response.headers.get('Location')).to.equal('/api/snippets/1/')
  })

  it('finds the parsed body and its text after the route', async () => {
    const seen: unknown[] = []
    const look: Middleware = async ({ request }, next) => {
      await next()
      seen.push(Reflect.get(request, 'body'), Reflect.get(request, 'rawBody'))
    }
    const { url } = await start({ middleware: [look] })
    await fetch(`${url}/api/snippets/`, { method: 'POST', body, headers })
    expect(seen).to.deep.equal([content, body])
  })

  it('parses the body by itself', async () => {
    const parse: Middleware = async ({ req, request }, next) => {
      Object.assign(request, { body: await json(req) })
      await next()
    }
    const { url } = await start({ middleware: [parse] })
    const response = await fetch(`${url}/api/snippets/`, { method: 'POST', body, headers })
    expect(response.status).to.equal(201)
  })

  it('keeps the body for itself, and the client is told that it could not be read', async () => {
    const read: Middleware = async ({ req }, next) => {
      await text(req)
      await next()
    }
    const { url } = await start({ middleware: [read] })
    const response = await fetch(`${url}/api/snippets/`, { method: 'POST', body, headers })
    expect(await response.json()).to.include({ status: 400, detail: 'The body ended early, or was read before.' })
  })

  it('takes its time while the body arrives', async () => {
    const slow: Middleware = async (ctx, next) => {
      while (!ctx.req.complete) await wait(1)
      await next()
    }
    const { url } = await start({ middleware: [slow] })
    const response = await fetch(`${url}/api/snippets/`, { method: 'POST', body, headers })
    expect(await response.json()).to.include(content)
  })

  it('changes the status and the body of an answer', async () => {
    const teapot: Middleware = async (ctx, next) => {
      await next()
      ctx.status = 418
      ctx.body = { was: JSON.parse(String(ctx.body)) }
    }
    const { url } = await start({ middleware: [teapot] })
    const response = await fetch(`${url}/api/users/`)
    expect(response.status).to.equal(418)
    expect(await response.json()).to.deep.equal({ was: { count: 0, next: null, previous: null, results: [] } })
  })

  const closed: Middleware = ctx => {
    ctx.body = 'closed'
  }

  it('answers by itself, with the headers that every answer has', async () => {
    const { url } = await start({ middleware: [closed] })
    const response = await fetch(`${url}/api/users/`, { headers: { 'X-Request-Id': 'mine' } })
    expect(await response.text()).to.equal('closed')
    expect(response.headers.get('X-Request-Id')).to.equal('mine')
    expect(response.headers.get('X-Content-Type-Options')).to.equal('nosniff')
  })

  it('refuses by ctx.throw, and the client gets a problem that nobody logs', async () => {
    const authenticate: Middleware = (ctx, next) => {
      if (ctx.get('Authorization') === '')
        ctx.throw(401, 'A token is needed.', { headers: { 'WWW-Authenticate': 'Bearer' } })
      return next()
    }
    const { url, log } = await start({ middleware: [authenticate] })
    const refused = await fetch(`${url}/api/snippets/`, { method: 'POST', body, headers })
    expect(refused.status).to.equal(401)
    expect(refused.headers.get('WWW-Authenticate')).to.equal('Bearer')
    expect(refused.headers.get('Content-Type')).to.equal('application/problem+json')
    expect(await refused.json()).to.deep.equal({
      type: 'about:blank',
      title: 'Unauthorized',
      status: 401,
      detail: 'A token is needed.',
    })
    expect((await fetch(`${url}/api/snippets/`, { headers: { Authorization: 'Bearer x' } })).status).to.equal(200)
    expect(log).to.deep.equal([])
  })

  it('closes the connection by ctx.throw', async () => {
    const full: Middleware = ctx => ctx.throw(429, 'Later.', { headers: { Connection: 'close' } })
    const { url } = await start({ middleware: [full] })
    const connection = await openConnection(url)
    connection.send('GET /api/users/ HTTP/1.1\r\nHost: a\r\n\r\n')
    const { status, headers } = await connection.answer('GET')
    expect({ status, connection: headers.connection }).to.deep.equal({ status: 429, connection: 'close' })
    expect(await connection.ended()).to.equal('closed')
  })

  for (const [what, thrown] of [
    ['an error', new Error('a secret')],
    ['what a lost connection to elsewhere throws', Object.assign(new Error('a secret'), { code: 'ECONNRESET' })],
    ['undefined', undefined],
    ['a text', 'a secret'],
  ] as const)
    it(`answers 500 and is logged once when it throws ${what}`, async () => {
      const { url, log } = await start({
        middleware: [
          ctx => {
            ctx.set('X-Secret', 'a secret')
            throw thrown
          },
        ],
      })
      const response = await fetch(`${url}/api/users/`)
      expect(response.status).to.equal(500)
      expect(response.headers.get('X-Secret')).to.equal(null)
      expect(await response.text())
        .to.include('urn:snippets:internal')
        .and.not.to.include('secret')
      expect(log.map(({ level, message }) => `${level}: ${message}`)).to.deep.equal(['error: a request failed'])
    })

  it('may throw the same error for every request', async () => {
    const same = new Error('again')
    const { url, log } = await start({
      middleware: [
        () => {
          throw same
        },
      ],
    })
    for (let i = 0; i < 3; i++) expect((await fetch(`${url}/api/users/`)).status).to.equal(500)
    expect(log).to.have.length(3)
  })

  it('gets a Koa 404 only for what it takes over', async () => {
    const { url } = await start({ middleware: [(ctx, next) => (ctx.path === '/mine/' ? undefined : next())] })
    expect(await (await fetch(`${url}/mine/`)).text()).to.equal('Not Found')
    expect(await (await fetch(`${url}/other/`)).text()).to.include('urn:snippets:unknown-path')
  })
})

describe('The streamed list under other middleware', () => {
  const start = servicePerTest()
  const snippet = (id: number, code = 'some code') => ({ ...draft({ code }), id: anId(BigInt(id)), version: 1 })

  it('cuts the connection when a batch fails midway', async () => {
    const { url, log } = await start({
      middleware: [passThrough],
      store: memory => ({
        ...memory,
        async *all() {
          // longer than what is answered at once
          yield right(Array.from({ length: 101 }, (_, i) => snippet(i + 1)))
          yield left(unavailable('unapplied', new Error('gone midway')))
        },
      }),
    })
    const whole = await fetch(`${url}/api/snippets/`)
      .then(response => response.text())
      .then(JSON.parse)
      .catch((error: Error) => error)
    expect(whole).to.be.instanceOf(Error)
    expect(log.map(({ level }) => level)).to.deep.equal(['error'])
  })

  for (const method of ['GET', 'HEAD'])
    it(`frees the storage after ${method}, also when the client leaves early`, async () => {
      let freed = 0
      const { url, log } = await start({
        middleware: [passThrough],
        store: memory => ({
          ...memory,
          async *all() {
            try {
              for (let id = 1; id < 3000; id++) yield right([snippet(id, 'x'.repeat(10_000))])
            } finally {
              freed++
            }
          },
        }),
      })
      const abort = new AbortController()
      await fetch(`${url}/api/snippets/`, { method, signal: abort.signal })
      abort.abort()
      for (let i = 0; i < 100 && freed === 0; i++) await wait(20)
      expect(freed).to.equal(1)
      expect(log).to.deep.equal([])
    })
})
