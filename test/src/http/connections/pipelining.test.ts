import { EventEmitter, once } from 'node:events'
import { expect } from 'chai'
import {
  bytesOf,
  type CheckedConnection,
  type Client,
  closes,
  type Headers,
  httpClient,
} from '../../support/http/http-client.js'
import { problemOf, snippetOf } from '../../support/http/representations.js'
import { type Service, startService } from '../../support/service/in-process.js'

const content = JSON.stringify({ title: 't', code: 'c', language: 'l' })
const json = { 'Content-Type': 'application/json' }
const list = '/api/snippets-viewset/'

describe('requests that are sent without waiting for answers', () => {
  let service: Service
  let client: Client
  let connection: CheckedConnection
  const gate = new EventEmitter()
  before(async () => {
    service = await startService({
      store: memory => ({
        ...memory,
        page: query => async () => {
          gate.emit('asked')
          await once(gate, 'open')
          return memory.page(query)()
        },
      }),
    })
    client = httpClient(service.url)
  })
  beforeEach(async () => {
    connection = await client.connect()
  })
  after(async () => {
    client.close()
    await service.stop()
  })

  const bytes = (method: string, target: string, body?: string, headers: Headers = json): Buffer =>
    bytesOf({ method, target, headers, ...(body !== undefined && { body }) }, new URL(service.url).host)
  /** The answer to one of the requests that were sent, held against the description as every answer is. */
  const answerTo = (method: string, target: string) => connection.askRaw('', { method, target })
  const asked = async (...requests: readonly Buffer[]): Promise<void> => {
    const waiting = once(gate, 'asked')
    connection.send(Buffer.concat(requests))
    await waiting
  }

  it('are answered in their order', async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `pipelined-${i}`)
    connection.send(
      Buffer.concat(ids.map(id => bytes('GET', '/api/users/', undefined, { ...json, 'X-Request-Id': id }))),
    )
    for (const id of ids) expect((await answerTo('GET', '/api/users/')).headers['x-request-id']).to.equal(id)
  })

  it('are answered in their order when the first takes longest', async () => {
    await asked(bytes('GET', list), bytes('GET', '/nowhere/'), bytes('POST', '/api/snippets/', content))
    gate.emit('open')
    expect((await answerTo('GET', list)).status).to.equal(200)
    expect((await answerTo('GET', '/nowhere/')).status).to.equal(404)
    expect((await answerTo('POST', '/api/snippets/')).status).to.equal(201)
  })

  it('stay apart from the body of one that is refused unread', async () => {
    const hidden = bytes('DELETE', '/api/snippets/1/').toString()
    const text = { 'Content-Type': 'text/plain' }
    const created = snippetOf(await client.post('/api/snippets/', content))
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

  it('are answered up to the one that is no HTTP', async () => {
    await asked(bytes('GET', list), Buffer.from('this is no request\r\n\r\n'))
    gate.emit('open')
    expect((await answerTo('GET', list)).status).to.equal(200)
    const refused = await answerTo('', '')
    expect(refused.status).to.equal(400)
    expect(problemOf(refused).type).to.match(/^urn:snippets:/)
    expect(closes(refused)).to.equal(true)
    expect(await connection.ended()).to.equal('closed')
  })

  it('are not answered twice when the second has a broken body', async () => {
    await asked(
      bytes('GET', list),
      Buffer.from(
        'POST /api/snippets/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      ),
    )
    gate.emit('open')
    expect((await answerTo('GET', list)).status).to.equal(200)
    expect((await answerTo('POST', '/api/snippets/')).status).to.equal(400)
    expect(await connection.ended()).to.equal('closed')
  })

  it('are answered up to one that expects what cannot be met', async () => {
    await asked(bytes('GET', list), bytes('GET', '/api/users/', undefined, { ...json, Expect: 'miracles' }))
    gate.emit('open')
    expect((await answerTo('GET', list)).status).to.equal(200)
    expect((await answerTo('GET', '/api/users/')).status).to.equal(417)
    expect(await connection.ended()).to.equal('closed')
  })

  it('are answered up to one that takes the service for a proxy', async () => {
    await asked(bytes('GET', list), Buffer.from('CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n'))
    gate.emit('open')
    expect((await answerTo('GET', list)).status).to.equal(200)
    expect((await answerTo('', '')).status).to.equal(400)
    expect(await connection.ended()).to.equal('closed')
  })

  it('are answered up to a broken one, however much comes behind it', async () => {
    const warnings: Error[] = []
    const warn = (warning: Error): void => void warnings.push(warning)
    process.on('warning', warn)
    await asked(bytes('GET', list), Buffer.from('this is no request\r\n\r\n'))
    for (let i = 0; i < 20; i++) {
      connection.send('nor is this\r\n\r\n')
      await new Promise(setImmediate)
    }
    gate.emit('open')
    expect((await answerTo('GET', list)).status).to.equal(200)
    expect((await answerTo('', '')).status).to.equal(400)
    process.off('warning', warn)
    expect(warnings).to.deep.equal([])
  })

  it('do no harm when the second is a streamed list with a broken body', async () => {
    const long = JSON.stringify({ title: 't', code: 'x'.repeat(10_000), language: 'l' })
    for (let i = 0; i < 300; i++) await client.post('/api/snippets/', long)
    const chunked = bytes('GET', '/api/snippets/', undefined, { ...json, 'Transfer-Encoding': 'chunked' })
    connection.send(Buffer.concat([bytes('GET', '/api/snippets/'), chunked, Buffer.from('zz\r\n')]))
    expect((await answerTo('GET', '/api/snippets/')).status).to.equal(200)
    expect((await answerTo('GET', '/api/snippets/')).status).to.equal(400)
    expect((await client.get('/api/snippets/')).status).to.equal(200)
    expect(service.log.filter(({ level }) => level === 'error')).to.deep.equal([])
  })
})
