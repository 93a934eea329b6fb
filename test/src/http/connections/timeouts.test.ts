import { expect } from 'chai'
import { closes } from '../../support/http/http-client.js'
import { problemOf } from '../../support/http/representations.js'
import { get, observer, post } from '../../support/http/wire.js'
import type { ServiceOptions } from '../../support/service/in-process.js'
import { servicePerTest } from '../../support/service/mocha-service.js'

const users = '/api/users/'

describe('A service with short timeouts', () => {
  const start = servicePerTest()
  const open = async (limits: Required<ServiceOptions>['limits']) => {
    const { observe, seen } = observer()
    const { client } = await start({ observe, limits })
    await client.description()
    seen.length = 0
    return { seen, connection: await client.connect() }
  }

  for (const [what, bytes, route] of [
    ['a request whose head stays unfinished', get(users).slice(0, -2), 'rejected'],
    ['a request whose body stalls', post('/api/snippets/').slice(0, -1), '/api/snippets/'],
    ['a connection that never sends anything', '', 'rejected'],
  ] as const)
    it(`returns 408 once for ${what}, and closes the connection`, async () => {
      const { seen, connection } = await open({ requestMs: 100 })
      const response = await connection.requestRaw(bytes, { method: '', target: '' })
      expect(response.status).to.equal(408)
      expect(problemOf(response).type).to.equal('urn:snippets:request-timeout')
      expect(closes(response)).to.equal(true)
      expect(await connection.ended()).to.equal('closed')
      expect(seen.map(({ route, status, problem }) => [route, status, problem])).to.deep.equal([
        [route, 408, 'urn:snippets:request-timeout'],
      ])
    })

  it('closes an idle connection', async () => {
    const { connection } = await open({ idleMs: 100 })
    expect((await connection.request({ method: 'GET', target: users })).status).to.equal(200)
    expect(await connection.ended()).to.equal('closed')
  })
})
