import { type Service, startService } from '@snippets/apps/service/service.js'
import { readSettings } from '@snippets/apps/settings/settings.js'
import { expect } from 'chai'
import { httpContract } from '../contracts/http/http-contract.js'
import { describeMongo, type FreshDatabase, openPrepared, sharedDatabase } from '../support/mongo/database.js'
import { recordingLog } from '../support/service/logs.js'
import { must } from '../support/snippets.js'

const settingsFor = (url: string) =>
  must(readSettings({ STORAGE: 'mongo', MONGODB_URL: url, USERS: 'ada,grace,edsger', PORT: '0', ADMIN_PORT: '0' }))

describeMongo('The service on MongoDB', engine => {
  let database: FreshDatabase
  let service: Service
  const { log, warnings } = recordingLog()

  before(async () => {
    database = sharedDatabase(engine)
    // creates the indexes first, as in a database that was used before
    const storage = await openPrepared(database.url)
    await storage.close()
    service = must(await startService(settingsFor(database.url), log))
    while ((await database.db.collection('users').countDocuments()) < 3);
  })

  after(async () => {
    await service.stop()
    await database.drop()
  })

  httpContract('the app on MongoDB', () => service.url)

  // mocha runs the tests of a suite before its nested suites
  describe('after the contract', () => {
    it('has logged no warning and no error', () => {
      expect(warnings()).to.deep.equal([])
    })
  })
})
