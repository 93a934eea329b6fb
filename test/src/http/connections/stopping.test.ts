import { EventEmitter, once } from 'node:events'
import { expect } from 'chai'
import { closes, httpClient } from '../../support/http/http-client.js'
import { startService } from '../../support/service/in-process.js'

describe('a service that stops', function () {
  this.timeout(30_000)
  it('ends what is under way, then closes its connections, and takes no new ones', async () => {
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
    const [busy, idle] = [await client.connect(), await client.connect()]
    await idle.ask({ method: 'GET', target: '/api/snippets/config/' })
    const asked = once(gate, 'asked')
    const answer = busy.ask({ method: 'GET', target: '/api/snippets-viewset/' })
    await asked
    const stopped = service.stop(10_000)
    const late = await idle.ask({ method: 'GET', target: '/api/snippets/config/' })
    expect(late.status, 'a request on a connection that was open before').to.equal(200)
    expect(closes(late)).to.equal(true)
    expect(await idle.ended()).to.equal('closed')
    gate.emit('open')
    expect((await answer).status).to.equal(200)
    expect(closes(await answer)).to.equal(true)
    expect(await busy.ended()).to.equal('closed')
    await stopped
    const refused = await client.connect().then(
      () => 'connected',
      (error: Error & { code?: string }) => error.code,
    )
    expect(refused).to.equal('ECONNREFUSED')
    client.close()
  })

  it('cuts what does not end in time', async () => {
    const gate = new EventEmitter()
    const service = await startService({
      store: memory => ({
        ...memory,
        page: () => async () => {
          gate.emit('asked')
          return new Promise(() => {})
        },
      }),
    })
    const client = httpClient(service.url)
    await client.description()
    const connection = await client.connect()
    const asked = once(gate, 'asked')
    connection.send('GET /api/snippets-viewset/ HTTP/1.1\r\nHost: x\r\n\r\n')
    await asked
    await service.stop(50)
    expect((await connection.attempt('GET')).complete).to.equal(false)
    client.close()
  })

  it('does not wait for a connection that never asked anything', async () => {
    const service = await startService()
    const client = httpClient(service.url)
    const silent = await client.connect()
    await service.stop(600_000)
    expect(await silent.ended()).to.equal('closed')
    client.close()
  })
})
