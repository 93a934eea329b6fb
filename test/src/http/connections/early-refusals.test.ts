import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { problem } from '@snippets/adapters-http/answer/problems.js'
import type { Observation } from '@snippets/adapters-http/koa/observation.js'
import type { ServerLimits } from '@snippets/adapters-http/server/limits.js'
import { type Listening, listen } from '@snippets/adapters-http/server/listen.js'
import type { RefusalOptions } from '@snippets/adapters-http/server/refusal.js'
import { expect } from 'chai'
import { type Answer, type Connection, openConnection } from '../../support/http/raw-http.js'
import { header, problemOf } from '../../support/http/representations.js'

const request = (method: string, more = '') => `${method} / HTTP/1.1\r\nHost: a\r\n${more}\r\n`
const post = `${request('POST', 'Content-Length: 2\r\n')}{}`

/** Without what differs from one answer to the next. */
const comparable = ({ status, headers, text }: Answer) => {
  const { date, 'x-request-id': id, ...others } = headers
  expect(date).to.match(/ GMT$/)
  expect(id).to.match(/^[0-9a-f]+-/)
  return { status, headers: others, text }
}

describe('A request that is shed before it has a response', () => {
  let server: Listening
  let client: Connection
  let others: readonly Connection[] = []
  const held: ServerResponse[] = []
  const seen: Observation[] = []

  /** One request is held, and one waits: whatever else comes is shed. */
  const start = async (options: RefusalOptions = {}, changed: Partial<ServerLimits> = {}) => {
    const limits = { requests: 1, waiting: 1, idleMs: 7000, ...changed }
    const observe = (observation: Observation) => void seen.push(observation)
    server = await listen((_req, res) => void held.push(res), { host: '127.0.0.1', port: 0 }, limits, {
      observe,
      ...options,
    })
    others = [await openConnection(server.url), await openConnection(server.url)]
    for (const other of others) other.send(request('GET'))
    while (server.load().waiting < 1) await wait(5)
    client = await openConnection(server.url)
  }
  const ask = async (method: string, more = ''): Promise<Answer> => {
    client.send(method === 'POST' ? post : request(method, more))
    return client.answer(method)
  }

  afterEach(async () => {
    for (const connection of [client, ...others]) connection.destroy()
    await server.stop(0)
    held.length = 0
    seen.length = 0
  })

  it('gets the same answer as one that has a response', async () => {
    await start()
    const early = await ask('GET')
    expect(problemOf(early).type).to.equal('urn:snippets:overloaded')
    expect(header(early, 'Keep-Alive')).to.equal('timeout=7')
    expect(comparable(early)).to.deep.equal(comparable(await ask('POST')))
    client.send(`${request('POST', 'Transfer-Encoding: chunked\r\n')}0\r\n\r\n`)
    expect(comparable(early)).to.deep.equal(comparable(await client.answer('POST')))
  })

  it('is told apart from its body, whenever that arrives', async () => {
    await start()
    client.send(request('POST', 'Content-Length: 40\r\nX-Request-Id: first\r\n'))
    expect((await client.answer('POST')).status).to.equal(503)
    client.send('GET / HTTP/1.1\r\n')
    await wait(20)
    client.send(`${'x'.repeat(24)}${request('GET', 'X-Request-Id: second\r\n')}`)
    expect((await client.answer('GET')).headers['x-request-id']).to.equal('second')
  })

  it('leaves the next request of its connection to be told that it is late', async () => {
    await start({}, { requestMs: 200, headMs: 200 })
    await ask('POST')
    client.send('GET / HT')
    expect((await client.answer('GET')).status).to.equal(408)
  })

  it('gets no second answer when its body is too late', async () => {
    await start({}, { requestMs: 200, headMs: 200 })
    client.send(request('POST', 'Content-Length: 40\r\n'))
    expect((await client.answer('POST')).status).to.equal(503)
    expect(await client.ended()).to.equal('closed')
  })

  it('is told of the overload rather than of what its listener would refuse', async () => {
    await start({ foresee: ({ method }) => (method === 'PUT' ? problem('unavailable') : undefined) })
    expect(problemOf(await ask('PUT')).type).to.equal('urn:snippets:overloaded')
  })

  it('gets no body when it is a HEAD', async () => {
    await start()
    const [head, get] = [await ask('HEAD'), await ask('GET')]
    expect(head.text).to.equal('')
    expect(comparable(head)).to.deep.equal({ ...comparable(get), text: '' })
  })

  it('is counted and observed with its id', async () => {
    await start()
    const { headers, body } = await ask('GET', 'X-Request-Id: mine\r\n')
    expect(headers['x-request-id']).to.equal('mine')
    expect(server.load()).to.include({ waiting: 1, inFlight: 1, shed: 1 })
    const [observed, ...others] = seen.filter(({ requestId }) => requestId === 'mine')
    expect(observed).to.include({ method: 'GET', route: 'refused', status: 503, clientLeft: false })
    expect(observed?.bytes).to.be.greaterThan(body.length)
    expect(others).to.deep.equal([])
  })

  it('gets the headers of whoever asked, unless it is a preflight', async () => {
    await start({
      headersFor: () => ({ Vary: 'Origin' }),
      preflightHeaders: ({ method }) => (method === 'OPTIONS' ? { 'Access-Control-Max-Age': 1 } : undefined),
    })
    expect(header(await ask('GET'), 'Vary')).to.equal('Origin')
    expect((await ask('OPTIONS')).status).to.equal(204)
  })

  it('keeps its connection, on which it is served later', async () => {
    await start()
    await ask('GET')
    while (held.length < 2) {
      held[0]?.end()
      await wait(5)
    }
    held[1]?.end()
    client.send(request('GET'))
    while (held.length < 3) await wait(5)
    held[2]?.end('served')
    expect((await client.answer('GET')).text).to.equal('served')
  })

  it('leaves a connection that is closed when it has been idle for as long as any other', async () => {
    await start({}, { idleMs: 100, stallMs: 60_000 })
    await ask('GET')
    expect(await client.ended()).to.equal('closed')
  })

  it('gives the next request of its connection all the time that one has', async () => {
    await start({}, { idleMs: 300, stallMs: 60_000 })
    await ask('GET')
    held[0]?.end()
    while (held.length < 2) await wait(5)
    held[1]?.end()
    client.send(request('GET'))
    while (held.length < 3) await wait(5)
    await wait(900)
    held[2]?.end('served')
    expect((await client.answer('GET')).text).to.equal('served')
  })

  it('is answered in its turn when two come in one packet', async () => {
    await start()
    client.send(request('GET', 'X-Request-Id: first\r\n') + request('GET', 'X-Request-Id: second\r\n'))
    const answers = [await client.answer('GET'), await client.answer('GET')]
    expect(answers.map(({ headers }) => headers['x-request-id'])).to.deep.equal(['first', 'second'])
  })

  it('has no response where twenty come in one packet', async () => {
    await start()
    let responses = 0
    const count = () => void responses++
    subscribe('http.server.request.start', count)
    client.send(request('GET').repeat(20))
    for (let i = 0; i < 20; i++) expect((await client.answer('GET')).status).to.equal(503)
    unsubscribe('http.server.request.start', count)
    expect(responses).to.equal(0)
  })

  it('makes room for another connection while its body is still to come', async () => {
    await start({}, { connections: 3 })
    client.send(request('POST', 'Content-Length: 40\r\n'))
    expect((await client.answer('POST')).status).to.equal(503)
    const another = await openConnection(server.url)
    another.send(request('GET'))
    expect(header(await another.answer('GET'), 'Connection')).to.equal('keep-alive')
    expect(await client.ended()).to.equal('closed')
    another.destroy()
  })

  it('is answered when its client ends its side at once', async () => {
    await start()
    const { hostname, port } = new URL(server.url)
    const hasty = connect({ port: Number(port), host: hostname, allowHalfOpen: true }).setEncoding('latin1')
    hasty.end(request('GET'))
    let text = ''
    for await (const chunk of hasty) text += chunk
    expect(text).to.match(/^HTTP\/1\.1 503 /)
  })

  it('is answered before its connection makes room for another', async () => {
    await start({}, { connections: 3 })
    const { hostname, port } = new URL(server.url)
    // a connection that has just come is not idle
    await wait(1100)
    client.send(request('GET'))
    const another = connect(Number(port), hostname)
    expect((await client.answer('GET')).status).to.equal(503)
    another.destroy()
  })

  it('leaves those behind it unread while the client takes no answers', async () => {
    await start()
    const { hostname, port } = new URL(server.url)
    const asked = 200_000
    const deaf = connect(Number(port), hostname).pause()
    deaf.write(request('GET').repeat(asked))
    for (let before = -1; before !== server.load().shed; ) {
      before = server.load().shed
      await wait(300)
    }
    expect(server.load().shed).to.be.within(1, asked / 2)
    deaf.destroy()
  })
})
