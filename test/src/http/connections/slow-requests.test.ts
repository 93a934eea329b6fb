import { EventEmitter, once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { closes, httpClient } from '../../support/http/http-client.js'
import { problemOf } from '../../support/http/representations.js'
import { startService } from '../../support/service/in-process.js'

describe('a request that does not arrive', function () {
  this.timeout(30_000)

  it('is told so with 408 when its head stays unfinished, and others are served meanwhile', async () => {
    const service = await startService()
    const client = httpClient(service.url)
    const slow = await client.connect()
    const told = slow.askRaw('GET /api/snippets/ HTTP/1.1\r\nHost: x\r\nX-A: ', {
      method: 'GET',
      target: '/api/snippets/',
    })
    expect((await client.get('/api/snippets/')).status).to.equal(200)
    const answer = await told
    expect(answer.status).to.equal(408)
    expect(problemOf(answer).type).to.match(/^urn:snippets:/)
    expect(closes(answer)).to.equal(true)
    expect(await slow.ended()).to.equal('closed')
    client.close()
    await service.stop()
  })

  it('is forgotten when the client leaves within the body', async () => {
    const service = await startService()
    const client = httpClient(service.url)
    for (const framing of ['Content-Length: 1000\r\n\r\n{', 'Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n']) {
      const connection = await client.connect()
      connection.send(`POST /api/snippets/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${framing}`)
      await wait(20)
      connection.destroy()
    }
    await wait(20)
    expect((await client.get('/api/snippets/')).text).to.equal('{"snippets":[]}')
    expect(service.log.filter(({ level }) => level === 'error' || level === 'warn')).to.deep.equal([])
    client.close()
    await service.stop()
  })

  it('does no harm when the client leaves before its answer', async () => {
    const gate = new EventEmitter()
    const service = await startService({
      store: memory => ({
        ...memory,
        page: query => async () => {
          gate.emit('asked')
          await once(gate, 'open')
          return memory.page(query)()
        },
      }),
    })
    const client = httpClient(service.url)
    await client.description()
    const connection = await client.connect()
    const asked = once(gate, 'asked')
    connection.send('GET /api/snippets-viewset/ HTTP/1.1\r\nHost: x\r\n\r\n')
    await asked
    connection.destroy()
    await wait(20)
    gate.emit('open')
    expect((await client.get('/api/snippets/')).status).to.equal(200)
    expect(service.log.filter(({ level }) => level === 'error' || level === 'warn')).to.deep.equal([])
    client.close()
    await service.stop()
  })
})
