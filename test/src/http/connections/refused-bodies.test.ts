import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { type CheckedConnection, type Client, closes, httpClient } from '../../support/http/http-client.js'
import type { Answer } from '../../support/http/raw-http.js'
import { type Service, startService } from '../../support/service/in-process.js'

const piece = `10000\r\n${' '.repeat(65_536)}\r\n`
const enough = Array.from({ length: 5 }, () => piece).join('')

describe('a client whose body is too large', () => {
  let service: Service
  let client: Client
  let connection: CheckedConnection
  before(async () => {
    service = await startService()
    client = httpClient(service.url)
  })
  beforeEach(async () => {
    connection = await client.connect()
  })
  after(async () => {
    client.close()
    await service.stop()
  })

  /** The refusal, after which the body goes on. */
  const refused = async (): Promise<Answer> => {
    const target = '/api/snippets/'
    const head = `POST ${target} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    const answer = await connection.askRaw(head + enough, { method: 'POST', target })
    expect(answer.status).to.equal(413)
    expect(closes(answer)).to.equal(true)
    return answer
  }

  it('may send the rest of it without being cut off', async () => {
    await refused()
    for (let i = 0; i < 5; i++) {
      connection.send(piece)
      await wait(10)
    }
    connection.send('0\r\n\r\n')
    expect(await connection.ended()).to.equal('closed')
  })

  it('is not waited for when it sends no more', async () => {
    await refused()
    expect(await connection.ended()).to.equal('closed')
  })

  it('cannot go on for ever', async () => {
    await refused()
    let sent = 0
    for (; connection.isOpen() && sent < 500; sent++) {
      connection.send(piece)
      await wait(1)
    }
    expect(sent).to.be.lessThan(500)
    expect((await client.get('/api/snippets/')).status).to.equal(200)
  })
})
