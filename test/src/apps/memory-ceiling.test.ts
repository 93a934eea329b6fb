import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { type ServiceProcess, startProcess } from '../support/service/child-process.js'

const path = '/api/snippets-viewset/'
const clients = 64
/** Without a ceiling, these take more than the heap. */
const creations = 20_000

const bodyOf = (title: string, characters: number): string =>
  JSON.stringify({ title, code: 'x'.repeat(characters), language: 'text' })

type Answer = Readonly<{ status: number; json: Readonly<{ id: number; count: number; type: string; code: string }> }>

/** Asks over connections that are kept, as many as there are clients. */
const asking = (base: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  return async (method: string, path: string, body = ''): Promise<Answer> => {
    const headers = body === '' ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(base + path, { agent, method, headers }, resolve)
        .on('error', reject)
        .end(body)
    })
    const answer = await text(response)
    return { status: response.statusCode ?? 0, json: answer === '' ? {} : JSON.parse(answer) }
  }
}

describe('The process with a heap of 200 MB, storage in memory', () => {
  let service: ServiceProcess
  before(async () => {
    service = await startProcess({ NODE_OPTIONS: '--max-old-space-size=200', LOG_LEVEL: 'error' })
  })
  after(() => service.kill('SIGKILL'))

  it('stays up under a flood of large creations, counts what it accepted, and goes on', async () => {
    const ask = asking(service.url)
    const statuses = new Map<number, number>()
    let sent = 0
    const flood = async (): Promise<void> => {
      while (sent < creations) {
        const { status } = await ask('POST', path, bodyOf(`title ${sent++}`, 10_000))
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (sent % 100 === 0) expect((await ask('GET', `${path}?page_size=1&ordering=-title`)).status).to.equal(200)
      }
    }
    await Promise.all(Array.from({ length: clients }, flood))
    expect([...statuses.keys()]).to.have.members([201, 507])

    const { count } = (await ask('GET', path)).json
    expect(count).to.equal(statuses.get(201))
    expect((await ask('DELETE', `${path}3/`)).status).to.equal(204)
    expect((await ask('POST', path, bodyOf('in its place', 10_000))).status).to.equal(201)

    service.kill('SIGTERM')
    expect((await service.ended).code).to.equal(0)
  }).timeout(60_000)
})
