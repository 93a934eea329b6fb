import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { closes } from '../../support/http/http-client.js'
import { problemOf } from '../../support/http/representations.js'
import { closedGate, gatedPages } from '../../support/service/gate.js'
import type { Service } from '../../support/service/in-process.js'
import { servicePerTest } from '../../support/service/mocha-service.js'

describe('The service', function () {
  this.timeout(30_000)
  const start = servicePerTest()
  const complaintsOf = ({ log }: Service) => log.filter(({ level }) => level === 'error' || level === 'warn')

  it('answers 408 to a request whose head stays unfinished, and serves others meanwhile', async () => {
    const { client } = await start()
    const slow = await client.connect()
    const late = slow.askRaw('GET /api/snippets/ HTTP/1.1\r\nHost: x\r\nX-A: ', {
      method: 'GET',
      target: '/api/snippets/',
    })
    expect((await client.get('/api/snippets/')).status).to.equal(200)
    const answer = await late
    expect(answer.status).to.equal(408)
    expect(problemOf(answer).type).to.match(/^urn:snippets:/)
    expect(closes(answer)).to.equal(true)
    expect(await slow.ended()).to.equal('closed')
  })

  it('logs nothing when a client leaves in the middle of its body', async () => {
    const service = await start()
    const { client } = service
    for (const framing of ['Content-Length: 1000\r\n\r\n{', 'Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n']) {
      const connection = await client.connect()
      connection.send(`POST /api/snippets/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${framing}`)
      await wait(20)
      connection.destroy()
    }
    await wait(20)
    expect((await client.get('/api/snippets/')).text).to.equal('{"snippets":[]}')
    expect(complaintsOf(service)).to.deep.equal([])
  })

  it('logs nothing when a client leaves before its answer', async () => {
    const gate = closedGate()
    const service = await start({ store: gatedPages(gate) })
    const { client } = service
    await client.description()
    const connection = await client.connect()
    const arrival = gate.arrival()
    connection.send('GET /api/snippets-viewset/ HTTP/1.1\r\nHost: x\r\n\r\n')
    await arrival
    connection.destroy()
    await wait(20)
    gate.open()
    expect((await client.get('/api/snippets/')).status).to.equal(200)
    expect(complaintsOf(service)).to.deep.equal([])
  })
})
