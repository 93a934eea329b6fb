import { setTimeout as pause } from 'node:timers/promises'
import { type Service, startService } from '@snippets/apps/service/service.js'
import { readSettings } from '@snippets/apps/settings/settings.js'
import { expect } from 'chai'
import { toUndefined } from 'fp-ts/lib/Option.js'
import { httpContract } from '../contracts/http/http-contract.js'
import { explicit } from '../contracts/http/sandbox.js'
import { httpClient } from '../support/http/http-client.js'
import { header, problemOf, snippetOf } from '../support/http/representations.js'
import {
  describeMongo,
  freshDatabase,
  mongoForEach,
  openPrepared,
  type TestDatabase,
} from '../support/mongo/database.js'
import { bodyOf } from '../support/samples.js'
import { silentLog } from '../support/service/logs.js'
import { must } from '../support/snippets.js'

const settingsFor = (url: string) =>
  must(readSettings({ STORAGE: 'mongo', MONGODB_URL: url, USERS: 'ada,grace,edsger', PORT: '0', ADMIN_PORT: '0' }))

describeMongo('The service on MongoDB', engine => {
  let database: TestDatabase
  let service: Service
  const complaints: string[] = []

  before(async () => {
    database = freshDatabase(engine)
    // creates the indexes first, as in a database that was used before
    const storage = await openPrepared(database.url)
    await storage.close()
    const complain = (_: object, message: string) => complaints.push(message)
    service = await startService(settingsFor(database.url), { ...silentLog, warn: complain, error: complain })
    while ((await database.db.collection('users').countDocuments()) < 3);
  })

  after(async () => {
    await service.stop()
    await database.drop()
  })

  httpContract('the app on MongoDB', { url: () => service.url })

  it('logs no warning and no error during the contract', () => {
    expect(complaints).to.deep.equal([])
  })
})

describeMongo('A service that starts while its database is unavailable', engine => {
  const { proxy: newProxy } = mongoForEach(engine)

  it('returns 503, is live but not ready, and works once the database is back', async () => {
    const proxy = await newProxy()
    proxy.start('cut')
    const service = await startService(settingsFor(proxy.url), silentLog)
    const client = httpClient(service.url)
    const statusOf = async (page: string) => (await fetch(`${toUndefined(service.adminUrl)}${page}`)).status
    const content = bodyOf({ title: 'early', code: 'c', language: 'l' })
    for (const response of await Promise.all([client.get(explicit), client.post(explicit, content)])) {
      expect(response.status).to.equal(503)
      expect(problemOf(response).type).to.equal('urn:snippets:unavailable')
      expect(header(response, 'Retry-After')).to.match(/^[1-9]/)
    }
    expect([await statusOf('/livez'), await statusOf('/readyz')]).to.deep.equal([200, 503])

    await proxy.restore()
    while ((await statusOf('/readyz')) !== 200) await pause(20)
    const created = await client.post(explicit, content)
    expect(snippetOf(created)).to.include({ id: '1', ...content })
    client.close()
    await service.stop()
  })
})
