import { type Service, startService } from '@snippets/apps/service.js'
import { readSettings } from '@snippets/apps/settings/settings.js'
import { expect } from 'chai'
import { httpContract } from '../contracts/http/http-contract.js'
import { describeMongo, freshDatabase, openPrepared, type TestDatabase } from '../support/mongo/database.js'
import { must } from '../support/snippets.js'

describeMongo('The service on MongoDB', engine => {
  let database: TestDatabase
  let service: Service
  const complaints: string[] = []

  before(async () => {
    database = freshDatabase(engine)
    // creates the indexes first, as in a database that was used before
    const storage = await openPrepared(database.url)
    await storage.close()
    const settings = readSettings({ STORAGE: 'mongo', MONGODB_URL: database.url, USERS: 'ada,grace,edsger', PORT: '0' })
    const complain = (_: object, message: string) => complaints.push(message)
    service = await startService(must(settings), { info: () => {}, warn: complain, error: complain })
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
