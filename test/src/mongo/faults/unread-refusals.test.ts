import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { generated } from '../../contracts/http/workspace.js'
import { describeMongo, freshDatabase, type TestDatabase } from '../../support/mongo/database.js'
import { proxyTo, type TcpProxy } from '../../support/mongo/tcp-proxy.js'
import { type ServiceProcess, startProcess } from '../../support/service/child-process.js'
import { openLoop } from './open-loop.js'

const body = '{"code":"c"}'
const head = `PATCH ${generated}1/ HTTP/1.1\r\nHost: a\r\nContent-Type: application/json`
const update = { kind: 'update', id: 1, bytes: `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}` }

describeMongo('While the database does not answer, the service', engine => {
  let database: TestDatabase
  let proxy: TcpProxy
  let service: ServiceProcess

  afterEach(async () => {
    service.kill('SIGKILL')
    await service.ended
    await proxy.close()
    await database.drop()
  })

  for (const [what, environment] of [
    ['with', { ADMIN_PORT: '0' }],
    ['without', {}],
  ] as const)
    it(`refuses updates unread when too many wait, ${what} admin pages`, async () => {
      database = freshDatabase(engine)
      proxy = await proxyTo(database.url)
      service = await startProcess({ STORAGE: 'mongo', MONGODB_URL: proxy.url, ...environment })
      while (!(await fetch(`${service.url}${generated}`)).ok) await pause(50)
      await proxy.start('black hole')
      const load = openLoop(service.url, () => update)
      load.setRate(500)
      await pause(3000)
      await load.stop()
      const unread = service.logged().filter(({ route }) => route === 'refused')
      expect(unread.length).to.be.above(100)
      for (const line of unread) expect(line).to.include({ method: 'PATCH', status: 503 })
      expect(load.asked.map(({ outcome }) => outcome)).to.not.include('cut')
    })
})
