import { expect } from 'chai'
import { bytesOf } from '../../support/http/http-client.js'
import { snippetsOf } from '../../support/http/representations.js'
import { twentyMegabytes } from '../../support/long-list.js'
import { sharedService } from '../../support/service/mocha-service.js'

describe('CONNECT behind a long list', () => {
  const service = sharedService({ store: memory => ({ ...memory, all: twentyMegabytes }) })

  it('is refused after the whole list, however late that is read', async () => {
    const { client } = service
    await client.description()
    const connection = await client.connect()
    connection.pause()
    const list = bytesOf({ method: 'GET', target: '/api/snippets/' }, new URL(service.url).host)
    connection.send(Buffer.concat([list, Buffer.from('CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n')]))
    // meanwhile the server fills the buffers between the two ends
    for (let i = 0; i < 100; i++) await client.get('/api/users/')
    connection.resume()
    const answer = await connection.askRaw('', { method: 'GET', target: '/api/snippets/' })
    expect(snippetsOf(answer)).to.have.length(2000)
    expect((await connection.askRaw('', { method: '', target: '' })).status).to.equal(400)
    expect(await connection.ended()).to.equal('closed')
  })
})
