import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { type CheckedConnection, closes } from '../../support/http/http-client.js'
import type { Answer } from '../../support/http/raw-http.js'
import { snippetOf } from '../../support/http/representations.js'
import { bodiless, get, observer, post, snippetText } from '../../support/http/wire.js'
import { sharedService } from '../../support/service/mocha-service.js'

const users = '/api/users/'
const snippets = '/api/snippets/'
const upgrade = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'] as const

describe('A request to upgrade the connection', () => {
  const { observe, seen } = observer()
  const service = sharedService({ observe })
  let connection: CheckedConnection
  beforeEach(async () => {
    connection = await service.client.connect()
    await service.client.description()
  })
  afterEach(() => connection.destroy())

  const answerTo = (method: string, target: string, bytes = '') => connection.askRaw(bytes, { method, target })
  const expectClosed = async (answer: Answer): Promise<void> => {
    expect(closes(answer)).to.equal(true)
    expect(await connection.ended()).to.equal('closed')
  }

  it('is answered like any other, and observed once', async () => {
    seen.length = 0
    const answer = await answerTo('GET', users, get(users, ...upgrade, 'X-Request-Id: mine'))
    expect(answer.status).to.equal(200)
    await expectClosed(answer)
    expect(seen.filter(({ requestId }) => requestId === 'mine')).to.have.length(1)
  })

  for (const [when, ms] of [
    ['in the same packet', undefined],
    ['some time later', 50],
  ] as const)
    it(`may have a body ${when}`, async () => {
      const bytes = post(snippets, snippetText, ...upgrade)
      const head = bytes.length - snippetText.length
      if (ms === undefined) connection.send(bytes)
      else {
        connection.send(bytes.slice(0, head))
        await wait(ms)
        connection.send(bytes.slice(head))
      }
      const created = await answerTo('POST', snippets)
      expect(snippetOf(created).title).to.equal('t')
      await expectClosed(created)
    })

  it('may wait for 100 Continue', async () => {
    const bytes = post(snippets, snippetText, ...upgrade, 'Expect: 100-continue')
    const head = bytes.length - snippetText.length
    connection.send(bytes.slice(0, head))
    await wait(20)
    const { status, interim } = await answerTo('POST', snippets, bytes.slice(head))
    expect({ status, interim }).to.deep.equal({ status: 201, interim: [100] })
  })

  for (const behind of [get('/nowhere/'), bodiless('CONNECT', 'a:80'), 'this is no request\r\n\r\n'])
    it(`says that it closes the connection, as ${behind.slice(0, 7)} behind it may be lost`, async () => {
      connection.send(get(users, ...upgrade) + behind)
      const answer = await answerTo('GET', users)
      expect(answer.status).to.equal(200)
      await expectClosed(answer)
    })

  it('is answered in its turn', async () => {
    connection.send(get('/nowhere/') + get(users, ...upgrade))
    expect((await answerTo('GET', '/nowhere/')).status).to.equal(404)
    await expectClosed(await answerTo('GET', users))
  })
})
