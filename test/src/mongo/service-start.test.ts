import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { explicit, generated } from '../contracts/http/workspace.js'
import { httpClient, type Request } from '../support/http/http-client.js'
import { header, problemOf, snippetOf, userPageOf } from '../support/http/representations.js'
import { describeMongo, freshDatabase, type TestDatabase } from '../support/mongo/database.js'
import { type Fault, proxyTo, type TcpProxy } from '../support/mongo/tcp-proxy.js'
import { type ServiceProcess, startProcess } from '../support/service/child-process.js'

const promisedMs = 2500

const content = { title: 'early', code: 'c', language: 'l' }
const json = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(content) }

const requests: readonly Request[] = [
  ...[explicit, generated].flatMap((path): Request[] => [
    { method: 'GET', target: path },
    { method: 'POST', target: path, ...json },
    { method: 'GET', target: `${path}1/` },
    { method: 'PUT', target: `${path}1/`, ...json },
    { method: 'DELETE', target: `${path}1/` },
  ]),
  { method: 'PATCH', target: `${generated}1/`, ...json },
  { method: 'GET', target: '/api/users/' },
  { method: 'GET', target: '/api/users/1/' },
]

describeMongo('A service that starts while its database is away', engine => {
  let database: TestDatabase
  let proxy: TcpProxy
  let service: ServiceProcess | undefined

  afterEach(async () => {
    service?.kill('SIGKILL')
    await service?.ended
    await proxy.close()
    await database.drop()
  })

  const statusOf = async (page: string): Promise<number> => (await fetch(`${service?.adminUrl}${page}`)).status

  for (const fault of ['cut', 'black hole'] satisfies Fault[])
    it(`(${fault}) answers 503 in time, is live but not ready, and works once the database is back`, async () => {
      database = freshDatabase(engine)
      proxy = await proxyTo(database.url, fault)
      const environment = { STORAGE: 'mongo', MONGODB_URL: proxy.url, USERS: 'ann,bob', ADMIN_PORT: '0' }
      service = await startProcess(environment)
      const client = httpClient(service.url)

      const startedAt = performance.now()
      const answers = await Promise.all(requests.map(client.ask))
      expect(performance.now() - startedAt).to.be.below(promisedMs)
      for (const answer of answers) {
        expect(answer.status).to.equal(503)
        expect(problemOf(answer).type).to.equal('urn:snippets:unavailable')
        expect(header(answer, 'Retry-After')).to.match(/^[1-9]/)
      }
      expect([await statusOf('/livez'), await statusOf('/readyz')]).to.deep.equal([200, 503])

      await proxy.restore()
      while ((await statusOf('/readyz')) !== 200) await pause(20)
      const created = await client.post(explicit, content)
      expect(created.status).to.equal(201)
      expect(snippetOf(created)).to.include({ id: '1', ...content })
      while (userPageOf(await client.get('/api/users/')).count < 2) await pause(20)
      expect(await database.db.collection('snippets').countDocuments()).to.equal(1)
      client.close()
    })
})
