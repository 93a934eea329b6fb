import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { closedPort } from '../../support/free-port.js'
import { type Client, httpClient } from '../../support/http/http-client.js'
import { describeMongo, freshDatabase, type TestDatabase } from '../../support/mongo/database.js'
import { proxyTo, type TcpProxy } from '../../support/mongo/tcp-proxy.js'
import { type ServiceProcess, startProcess } from '../../support/service/child-process.js'

const content = { title: 'private title', code: 'private code', language: 'private language' }

/** Starts a service on this database. It and its client are gone after the test, also when that fails. */
const services = () => {
  let service: ServiceProcess | undefined
  let client: Client | undefined
  afterEach(async () => {
    client?.close()
    service?.kill('SIGKILL')
    await service?.ended
  })
  return async (url: string, environment = {}) => {
    service = await startProcess({ STORAGE: 'mongo', MONGODB_URL: url, ...environment })
    client = httpClient(service.url)
    return { service, client }
  }
}

describe('While MongoDB is down, the log', () => {
  const serve = services()

  it('has one short line for each failed request, and the whole cause once', async () => {
    const url = `mongodb://127.0.0.1:${await closedPort()}/`
    const { service, client } = await serve(url, { ACCESS_LOG: 'off' })
    for (let round = 0; round < 3; round++)
      await Promise.all([
        client.get('/api/snippets/7/'),
        client.get('/api/snippets-viewset/?title=private'),
        client.post('/api/snippets/', content),
      ])
    service.kill('SIGTERM')
    const lines = (await service.ended).stderr.trim().split('\n')
    const failed = lines.filter(line => line.includes('storage unavailable'))
    expect(failed).to.have.length(9)
    for (const line of failed) expect(line.length, line).to.be.below(350)
    expect(failed[0]).to.match(/"requestId":"[\w-]+".*"route":"[^"]+".*"reason":"\w/)
    expect(lines.filter(line => line.includes('"stack"'))).to.have.length(1)
    expect(lines.join()).to.not.contain('private')
  })
})

describeMongo('When MongoDB is back, the log', engine => {
  const serve = services()
  let database: TestDatabase
  let proxy: TcpProxy
  beforeEach(async () => {
    database = freshDatabase(engine)
    proxy = await proxyTo(database.url)
  })
  afterEach(async () => {
    await proxy.close()
    await database.drop()
  })

  it('says so once, after an outage whose cause it gave once', async () => {
    const { service, client } = await serve(proxy.url)
    const messages = () => service.logged().map(({ msg }) => msg)
    for (let outage = 1; outage <= 2; outage++) {
      while ((await client.get('/api/snippets/')).status !== 200) await pause(50)
      await proxy.start('cut')
      for (let i = 0; i < 5; i++) expect((await client.get('/api/snippets/')).status).to.equal(503)
      await proxy.restore()
      while ((await client.get('/api/snippets/')).status !== 200) await pause(50)
      while (messages().filter(message => message === 'the database works again').length < outage) await pause(50)
    }
    const [begun, over] = [
      'the database fails; until it works again, each failed request gets one short line',
      'the database works again',
    ]
    const told = messages().filter(message => message === begun || message === over)
    expect(told).to.deep.equal([begun, over, begun, over])
  })
})
