import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { bytesOf, type CheckedConnection } from '../../support/http/http-client.js'
import { snippetOf } from '../../support/http/representations.js'
import { closedGate, gatedPages } from '../../support/service/gate.js'
import { sharedService } from '../../support/service/mocha-service.js'

const users = '/api/users/'
const snippets = '/api/snippets/'
const page = '/api/snippets-viewset/'
const upgrade = { Connection: 'Upgrade', Upgrade: 'h2c' }
const content = JSON.stringify({ title: 'tïtle', code: 'c', language: 'l' })

describe('A request to upgrade the connection', () => {
  const gate = closedGate()
  const service = sharedService({ store: gatedPages(gate) })
  let connection: CheckedConnection
  beforeEach(async () => {
    connection = await service.client.connect()
    await service.client.description()
  })

  const get = (target: string, headers = {}): Buffer =>
    bytesOf({ method: 'GET', target, headers }, new URL(service.url).host)
  const post = (headers = {}): Buffer =>
    bytesOf(
      { method: 'POST', target: snippets, body: content, headers: { 'Content-Type': 'application/json', ...headers } },
      new URL(service.url).host,
    )
  const statusOf = async (target: string, method = 'GET'): Promise<number> =>
    (await connection.askRaw('', { method, target })).status

  it('is answered like any other, and the connection kept', async () => {
    for (let i = 0; i < 20; i++) {
      const headers = { ...upgrade, 'X-Request-Id': `request-${i}` }
      const answer = await connection.ask({ method: 'GET', target: users, headers })
      expect(answer.status).to.equal(200)
      expect(answer.headers).to.include({ connection: 'keep-alive', 'x-request-id': `request-${i}` })
    }
    expect((await connection.ask({ method: 'GET', target: users })).status).to.equal(200)
  })

  it('does not swallow the requests behind it', async () => {
    const requests = [get(users, upgrade), get('/nowhere/'), get(users, upgrade), get(users, upgrade), get('/nowhere/')]
    connection.send(Buffer.concat(requests))
    const targets = [users, '/nowhere/', users, users, '/nowhere/']
    for (const target of targets) expect(await statusOf(target)).to.equal(target === users ? 200 : 404)
  })

  it('does not swallow what arrives while earlier requests are under way', async () => {
    const arrival = gate.arrival()
    connection.send(Buffer.concat([get(page), get('/nowhere/'), get(users, upgrade), get(snippets)]))
    await arrival
    for (let i = 0; i < 20; i++) {
      connection.send(get('/nowhere/'))
      await wait(1)
    }
    gate.open()
    expect(await statusOf(page)).to.equal(200)
    expect(await statusOf('/nowhere/')).to.equal(404)
    expect(await statusOf(users)).to.equal(200)
    expect(await statusOf(snippets)).to.equal(200)
    for (let i = 0; i < 20; i++) expect(await statusOf('/nowhere/')).to.equal(404)
  })

  it('may have a body', async () => {
    connection.send(Buffer.concat([post(upgrade), get(users)]))
    const created = await connection.askRaw('', { method: 'POST', target: snippets })
    expect(snippetOf(created).title).to.equal('tïtle')
    expect(await statusOf(users)).to.equal(200)
    const bytes = post({ ...upgrade, Expect: '100-continue' })
    const head = bytes.indexOf('\r\n\r\n') + 4
    connection.send(bytes.subarray(0, head))
    await wait(20)
    connection.send(bytes.subarray(head))
    const { status, interim } = await connection.askRaw('', { method: 'POST', target: snippets })
    expect({ status, interim }).to.deep.equal({ status: 201, interim: [100] })
  })

  it('may be followed by CONNECT, garbage or the end', async () => {
    for (const last of ['CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 'this is no request\r\n\r\n']) {
      connection = await service.client.connect()
      connection.send(Buffer.concat([get(users, upgrade), Buffer.from(last)]))
      expect(await statusOf(users)).to.equal(200)
      expect(await statusOf('', '')).to.equal(400)
      expect(await connection.ended()).to.equal('closed')
    }
    connection = await service.client.connect()
    connection.send(get(users, { ...upgrade, Connection: 'close, Upgrade' }))
    expect(await statusOf(users)).to.equal(200)
    expect(await connection.ended()).to.equal('closed')
  })
})
