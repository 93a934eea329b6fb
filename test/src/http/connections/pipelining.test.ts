import { expect } from 'chai'
import { bytesOf, type CheckedConnection, closes, type Headers } from '../../support/http/http-client.js'
import { problemOf, snippetOf } from '../../support/http/representations.js'
import { closedGate, gatedPages } from '../../support/service/gate.js'
import { sharedService } from '../../support/service/mocha-service.js'

const content = JSON.stringify({ title: 't', code: 'c', language: 'l' })
const json = { 'Content-Type': 'application/json' }
const list = '/api/snippets-viewset/'

describe('On a connection with pipelined requests, the service', () => {
  const gate = closedGate()
  const service = sharedService({ store: gatedPages(gate) })
  let connection: CheckedConnection
  beforeEach(async () => {
    connection = await service.client.connect()
  })

  const bytes = (method: string, target: string, body?: string, headers: Headers = json): Buffer =>
    bytesOf({ method, target, headers, ...(body !== undefined && { body }) }, new URL(service.url).host)
  /** Reads the response to the next of the requests that were sent. */
  const answerTo = (method: string, target: string) => connection.askRaw('', { method, target })
  /** Sends requests of which the first waits at the gate. */
  const sendGated = async (...requests: readonly Buffer[]): Promise<void> => {
    const arrival = gate.arrival()
    connection.send(Buffer.concat(requests))
    await arrival
  }

  it('answers in order', async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `pipelined-${i}`)
    connection.send(
      Buffer.concat(ids.map(id => bytes('GET', '/api/users/', undefined, { ...json, 'X-Request-Id': id }))),
    )
    for (const id of ids) expect((await answerTo('GET', '/api/users/')).headers['x-request-id']).to.equal(id)
  })

  it('answers in order when the first takes longest', async () => {
    await sendGated(bytes('GET', list), bytes('GET', '/nowhere/'), bytes('POST', '/api/snippets/', content))
    gate.open()
    expect((await answerTo('GET', list)).status).to.equal(200)
    expect((await answerTo('GET', '/nowhere/')).status).to.equal(404)
    expect((await answerTo('POST', '/api/snippets/')).status).to.equal(201)
  })

  it('never takes the body of a refused request for the next request', async () => {
    const hidden = bytes('DELETE', '/api/snippets/1/').toString()
    const text = { 'Content-Type': 'text/plain' }
    const created = snippetOf(await service.client.post('/api/snippets/', content))
    const target = `/api/snippets/${created.id}/`
    connection.send(
      Buffer.concat([
        bytes('POST', '/api/snippets/', hidden.replace('/1/', `/${created.id}/`), text),
        bytes('PATCH', target, hidden.replace('/1/', `/${created.id}/`)),
        bytes('GET', target),
      ]),
    )
    expect((await answerTo('POST', '/api/snippets/')).status).to.equal(415)
    expect((await answerTo('PATCH', target)).status).to.equal(405)
    expect(snippetOf(await answerTo('GET', target))).to.deep.equal(created)
  })

  it('answers earlier requests, then 400 to one that is not HTTP', async () => {
    await sendGated(bytes('GET', list), Buffer.from('this is no request\r\n\r\n'))
    gate.open()
    expect((await answerTo('GET', list)).status).to.equal(200)
    const refused = await answerTo('', '')
    expect(refused.status).to.equal(400)
    expect(problemOf(refused).type).to.match(/^urn:snippets:/)
    expect(closes(refused)).to.equal(true)
    expect(await connection.ended()).to.equal('closed')
  })

  it('answers earlier requests, then 400 once to a broken body', async () => {
    await sendGated(
      bytes('GET', list),
      Buffer.from(
        'POST /api/snippets/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      ),
    )
    gate.open()
    expect((await answerTo('GET', list)).status).to.equal(200)
    expect((await answerTo('POST', '/api/snippets/')).status).to.equal(400)
    expect(await connection.ended()).to.equal('closed')
  })

  it('answers earlier requests, then 417 to an unknown expectation', async () => {
    await sendGated(bytes('GET', list), bytes('GET', '/api/users/', undefined, { ...json, Expect: 'miracles' }))
    gate.open()
    expect((await answerTo('GET', list)).status).to.equal(200)
    expect((await answerTo('GET', '/api/users/')).status).to.equal(417)
    expect(await connection.ended()).to.equal('closed')
  })

  it('answers earlier requests, then 400 to CONNECT', async () => {
    await sendGated(bytes('GET', list), Buffer.from('CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n'))
    gate.open()
    expect((await answerTo('GET', list)).status).to.equal(200)
    expect((await answerTo('', '')).status).to.equal(400)
    expect(await connection.ended()).to.equal('closed')
  })

  it('answers earlier requests, then 400 once, however much garbage follows', async () => {
    const warnings: Error[] = []
    const warn = (warning: Error): void => void warnings.push(warning)
    process.on('warning', warn)
    await sendGated(bytes('GET', list), Buffer.from('this is no request\r\n\r\n'))
    for (let i = 0; i < 20; i++) {
      connection.send('nor is this\r\n\r\n')
      await new Promise(setImmediate)
    }
    gate.open()
    expect((await answerTo('GET', list)).status).to.equal(200)
    expect((await answerTo('', '')).status).to.equal(400)
    process.off('warning', warn)
    expect(warnings).to.deep.equal([])
  })

  it('answers 400 to a broken body behind a streamed list, and goes on serving', async () => {
    const long = JSON.stringify({ title: 't', code: 'x'.repeat(10_000), language: 'l' })
    for (let i = 0; i < 300; i++) await service.client.post('/api/snippets/', long)
    const chunked = bytes('GET', '/api/snippets/', undefined, { ...json, 'Transfer-Encoding': 'chunked' })
    connection.send(Buffer.concat([bytes('GET', '/api/snippets/'), chunked, Buffer.from('zz\r\n')]))
    expect((await answerTo('GET', '/api/snippets/')).status).to.equal(200)
    expect((await answerTo('GET', '/api/snippets/')).status).to.equal(400)
    expect((await service.client.get('/api/snippets/')).status).to.equal(200)
    expect(service.log.filter(({ level }) => level === 'error')).to.deep.equal([])
  })
})
