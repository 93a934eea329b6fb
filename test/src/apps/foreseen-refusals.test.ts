import type { Observation } from '@snippets/adapters-http/koa/observation.js'
import { type Listening, listen } from '@snippets/adapters-http/server/listen.js'
import { publicApp } from '@snippets/apps/public-app.js'
import { readSettings } from '@snippets/apps/settings/settings.js'
import { openStorage } from '@snippets/apps/storage.js'
import { unavailable } from '@snippets/domain/errors.js'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { type Connection, openConnection } from '../support/http/raw-http.js'
import { must } from '../support/snippets.js'

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

const bodiless = new Set(['GET', 'HEAD', 'OPTIONS'])
const body = '{"title":"t","code":"c","language":"l"}'
const withBody = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

describe('While the storage refuses at once what needs a turn', () => {
  let server: Listening
  let client: Connection
  let isBusy: boolean
  const seen: Observation[] = []

  beforeEach(async () => {
    const settings = must(readSettings({ LOG_LEVEL: 'silent' }))
    const memory = await openStorage(settings, log)
    const fail = () => async () => left(unavailable('unapplied', new Error('too many')))
    const snippets = { ...memory.snippets, get: fail, page: fail, create: fail, update: fail, delete: fail }
    const storage = { ...memory, snippets, isBusy: () => isBusy }
    const observe = (observation: Observation) => void seen.push(observation)
    const { listener, refusals } = await publicApp(settings, { storage, log, tokens: undefined, observe })
    server = await listen(listener, { host: '127.0.0.1', port: 0 }, {}, refusals)
    client = await openConnection(server.url)
  })
  afterEach(async () => {
    client.destroy()
    await server.stop(0)
    seen.length = 0
  })

  /** The answer without what differs from one to the next, and where it came from. */
  const ask = async (method: string, target: string, whileBusy: boolean) => {
    isBusy = whileBusy
    client.send(`${method} ${target} HTTP/1.1\r\nHost: a\r\n${bodiless.has(method) ? '\r\n' : withBody}`)
    const { status, headers, text } = await client.answer(method)
    const { date: _date, 'x-request-id': id, ...others } = headers
    const route = seen.find(({ requestId }) => requestId === id)?.route
    return { answer: { status, headers: others, text }, route }
  }

  for (const [method, target] of [
    ['PUT', '/api/snippets/1/'],
    ['PATCH', '/api/snippets-viewset/1/'],
    ['DELETE', '/api/snippets/1/'],
    ['GET', '/api/snippets-viewset/'],
    ['GET', '/api/snippets-viewset/?language=l&page=2'],
  ] as const)
    it(`${method} ${target} is refused unread, with the answer that it would get anyway`, async () => {
      const [usual, foreseen] = [await ask(method, target, false), await ask(method, target, true)]
      expect(usual.answer.status).to.equal(503)
      expect(usual.route).to.match(/^\/api/)
      expect(foreseen).to.deep.equal({ ...usual, route: 'refused' })
      expect(server.load().shed).to.equal(1)
    })

  for (const [method, target] of [
    ['POST', '/api/snippets/'],
    ['GET', '/api/snippets/1/'],
    ['GET', '/api/snippets-viewset/1/'],
    ['GET', '/api/snippets-viewset/1'],
    ['HEAD', '/api/snippets-viewset/'],
    ['OPTIONS', '/api/snippets-viewset/'],
    ['GET', '/api/users/?x=/api/snippets-viewset/'],
    ['GET', '/api/snippets/config/'],
  ] as const)
    it(`${method} ${target} goes on`, async () => {
      expect((await ask(method, target, true)).route).to.match(/^\/api|^none$/)
    })
})
