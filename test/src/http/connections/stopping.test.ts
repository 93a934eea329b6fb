import { expect } from 'chai'
import { closes } from '../../support/http/http-client.js'
import { closedGate, gatedPages } from '../../support/service/gate.js'
import { servicePerTest } from '../../support/service/mocha-service.js'

const list = '/api/snippets-viewset/'

describe('A service that shuts down', function () {
  this.timeout(30_000)
  const start = servicePerTest()

  it('answers requests in flight, then closes their connections, and accepts no new ones', async () => {
    const gate = closedGate()
    const { client, shutDown } = await start({ store: gatedPages(gate) })
    await client.description()
    const [busy, idle] = [await client.connect(), await client.connect()]
    await idle.ask({ method: 'GET', target: '/api/snippets/config/' })
    const arrival = gate.arrival()
    const answer = busy.ask({ method: 'GET', target: list })
    await arrival
    const stopped = shutDown(10_000)
    const late = await idle.ask({ method: 'GET', target: '/api/snippets/config/' })
    expect(late.status, 'a request on a connection that was already open').to.equal(200)
    expect(closes(late)).to.equal(true)
    expect(await idle.ended()).to.equal('closed')
    gate.open()
    expect((await answer).status).to.equal(200)
    expect(closes(await answer)).to.equal(true)
    expect(await busy.ended()).to.equal('closed')
    await stopped
    const refused = await client.connect().then(
      () => 'connected',
      (error: Error & { code?: string }) => error.code,
    )
    expect(refused).to.equal('ECONNREFUSED')
  })

  it('cuts off requests that outlast the grace period', async () => {
    const gate = closedGate()
    const { client, shutDown } = await start({ store: gatedPages(gate) })
    await client.description()
    const connection = await client.connect()
    const arrival = gate.arrival()
    connection.send(`GET ${list} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await arrival
    await shutDown(50)
    expect((await connection.attempt('GET')).complete).to.equal(false)
  })

  it('leaves no timer behind', async () => {
    const { shutDown } = await start()
    const timers = () => process.getActiveResourcesInfo().filter(type => type === 'Timeout').length
    const before = timers()
    await shutDown(600_000)
    expect(timers()).to.be.at.most(before)
  })

  it('does not wait for a connection that never sent a request', async () => {
    const { client, shutDown } = await start()
    const silent = await client.connect()
    await shutDown(600_000)
    expect(await silent.ended()).to.equal('closed')
  })
})
