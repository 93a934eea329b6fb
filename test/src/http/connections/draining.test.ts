import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { bytesOf, closes } from '../../support/http/http-client.js'
import { openConnection } from '../../support/http/raw-http.js'
import { startProcess } from '../../support/service/child-process.js'
import { closedGate } from '../../support/service/gate.js'
import { servicePerTest } from '../../support/service/mocha-service.js'
import { anId, draft } from '../../support/snippets.js'

const list = '/api/snippets/'
const body = JSON.stringify({ title: 't', code: 'c', language: 'l' })
const grace = 600_000

describe('A service that drains its connections', function () {
  this.timeout(60_000)
  const start = servicePerTest()

  const upload = (url: string): readonly [Buffer, Buffer] => {
    const headers = { 'Content-Type': 'application/json' }
    const bytes = bytesOf({ method: 'POST', target: list, body, headers }, new URL(url).host)
    return [bytes.subarray(0, -10), bytes.subarray(-10)]
  }

  it('answers 408 to an upload that has stalled, and does not wait for its end', async () => {
    const { client, url, shutDown } = await start()
    const connection = await client.connect()
    await client.description()
    connection.send(upload(url)[0])
    await client.get(list)
    const stopped = shutDown(grace)
    const answer = await connection.askRaw('', { method: 'POST', target: list })
    expect(answer.status).to.equal(408)
    expect(closes(answer)).to.equal(true)
    expect(await connection.ended()).to.equal('closed')
    await stopped
  })

  it('goes on with an answer that has begun before the body has arrived', async () => {
    const gate = closedGate()
    const { url, shutDown } = await start({
      store: memory => ({
        ...memory,
        async *all() {
          yield right(Array.from({ length: 101 }, (_, i) => ({ ...draft(), id: anId(BigInt(i + 1)), version: 1 })))
          await gate.pass()
        },
      }),
    })
    const connection = await openConnection(url)
    const arrival = gate.arrival()
    connection.send(`GET ${list} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{`)
    await arrival
    const stopped = shutDown(grace)
    await wait(2500)
    gate.open()
    expect(JSON.parse((await connection.answer('GET')).text).snippets).to.have.length(101)
    connection.destroy()
    await stopped
  })

  it('takes an upload that goes on', async () => {
    const { client, url, shutDown } = await start()
    const connection = await client.connect()
    await client.description()
    const [most, rest] = upload(url)
    connection.send(most)
    await client.get(list)
    const stopped = shutDown(grace)
    for (let i = 0; i < rest.length; i++) {
      await wait(300)
      connection.send(rest.subarray(i, i + 1))
    }
    expect((await connection.askRaw('', { method: 'POST', target: list })).status).to.equal(201)
    await stopped
  })

  it('answers 408 to a head that has stalled', async () => {
    const { client, shutDown } = await start()
    const connection = await client.connect()
    await client.description()
    const stopped = shutDown(grace)
    connection.send(`GET ${list} HTTP/1.1\r\nHost:`)
    expect((await connection.askRaw('', { method: '', target: '' })).status).to.equal(408)
    expect(await connection.ended()).to.equal('closed')
    await stopped
  })

  it('answers the first request of a connection that was open before', async () => {
    const { client, shutDown } = await start()
    const connection = await client.connect()
    await client.description()
    const stopped = shutDown(grace)
    await wait(500)
    const answer = await connection.ask({ method: 'GET', target: list })
    expect(answer.status).to.equal(200)
    expect(closes(answer)).to.equal(true)
    await stopped
  })
})

describe('A process that is told to end', function () {
  this.timeout(60_000)

  /** How each request ended: its status, or the code of its error. */
  const ask = (url: string, agent: Agent): Promise<number | string | undefined> =>
    new Promise(resolve => {
      const sent = request(`${url}/api/users/`, { agent }, (response: IncomingMessage) => {
        response.resume().once('end', () => resolve(response.statusCode))
      })
      sent.once('error', (error: Error & { code?: string }) => resolve(error.code)).end()
    })

  it('resets no connection, neither a kept one nor a new one', async () => {
    const outcomes: Record<string, number> = {}
    for (let cycle = 0; cycle < 5; cycle++) {
      const { url, kill, ended } = await startProcess({})
      const clients = Array.from({ length: 64 }, async (_, i) => {
        const agent = new Agent({ keepAlive: i % 2 === 0, maxSockets: 1 })
        for (let outcome: number | string | undefined = 200; outcome === 200; ) {
          outcome = await ask(url, agent)
          outcomes[`${outcome}`] = (outcomes[`${outcome}`] ?? 0) + 1
        }
      })
      await wait(200)
      kill('SIGTERM')
      expect((await ended).code).to.equal(0)
      await Promise.all(clients)
    }
    expect(outcomes).to.have.all.keys('200', 'ECONNREFUSED')
    expect(outcomes.ECONNREFUSED).to.equal(5 * 64)
  })
})
