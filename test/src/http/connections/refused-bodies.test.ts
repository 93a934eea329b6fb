import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { type CheckedConnection, closes } from '../../support/http/http-client.js'
import { sharedService } from '../../support/service/mocha-service.js'

const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
const tooMuch = Array.from({ length: 5 }, () => chunk).join('')

describe('After 413 to a body that is too large, the service', () => {
  const service = sharedService()
  let connection: CheckedConnection
  beforeEach(async () => {
    connection = await service.client.connect()
  })

  /** Has the body refused, without ending it. */
  const sendTooMuch = async (): Promise<void> => {
    const target = '/api/snippets/'
    const head = `POST ${target} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    const answer = await connection.askRaw(head + tooMuch, { method: 'POST', target })
    expect(answer.status).to.equal(413)
    expect(closes(answer)).to.equal(true)
  }

  it('lets the client send the rest without a reset', async () => {
    await sendTooMuch()
    for (let i = 0; i < 5; i++) {
      connection.send(chunk)
      await wait(10)
    }
    connection.send('0\r\n\r\n')
    expect(await connection.ended()).to.equal('closed')
  })

  it('closes the connection when the client sends no more', async () => {
    await sendTooMuch()
    expect(await connection.ended()).to.equal('closed')
  })

  it('cuts off a client that goes on sending', async () => {
    await sendTooMuch()
    let sent = 0
    for (; connection.isOpen() && sent < 500; sent++) {
      connection.send(chunk)
      await wait(1)
    }
    expect(sent).to.be.lessThan(500)
    expect((await service.client.get('/api/snippets/')).status).to.equal(200)
  })
})
