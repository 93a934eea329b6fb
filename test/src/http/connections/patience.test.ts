import { expect } from 'chai'
import { closes } from '../../support/http/http-client.js'
import { problemOf } from '../../support/http/representations.js'
import { get, observer } from '../../support/http/wire.js'
import { servicePerTest } from '../../support/service/mocha-service.js'

const users = '/api/users/'

describe('The service', function () {
  this.timeout(30_000)
  const start = servicePerTest()

  it('answers 408 to a request whose head stays unfinished, observes it, and serves others meanwhile', async () => {
    const { observe, seen } = observer()
    const { client } = await start({ observe, limits: { headMs: 300 } })
    await client.description()
    const slow = await client.connect()
    const late = slow.askRaw(get(users).slice(0, -2), { method: '', target: '' })
    expect((await client.get(users)).status).to.equal(200)
    const answer = await late
    expect(answer.status).to.equal(408)
    expect(problemOf(answer).type).to.equal('urn:snippets:request-timeout')
    expect(closes(answer)).to.equal(true)
    expect(await slow.ended()).to.equal('closed')
    expect(seen.filter(({ status }) => status === 408)).to.have.length(1)
  })

  it('ends a connection that never sends anything', async () => {
    const { client } = await start({ limits: { headMs: 100 } })
    await client.description()
    const silent = await client.connect()
    expect((await silent.askRaw('', { method: '', target: '' })).status).to.equal(408)
    expect(await silent.ended()).to.equal('closed')
  })

  it('closes a connection that is not used again', async () => {
    const { client } = await start({ limits: { idleMs: 100 } })
    const connection = await client.connect()
    expect((await connection.ask({ method: 'GET', target: users })).status).to.equal(200)
    expect(await connection.ended()).to.equal('closed')
  })
})
