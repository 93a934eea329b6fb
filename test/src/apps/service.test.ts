import { createServer, type Server } from 'node:net'
import { type Service, startService } from '@snippets/apps/service.js'
import type { Environment } from '@snippets/apps/settings/environment.js'
import { readSettings } from '@snippets/apps/settings/settings.js'
import { expect } from 'chai'
import { toUndefined } from 'fp-ts/lib/Option.js'
import { closedPort, listenOnFreePort } from '../support/free-port.js'
import { silentLog } from '../support/silent-log.js'
import { must } from '../support/snippets.js'

const adminOf = ({ adminUrl }: Service): string => toUndefined(adminUrl) ?? ''

const start = (environment: Environment): Promise<Service> =>
  startService(must(readSettings({ PORT: '0', ADMIN_PORT: '0', ...environment })), silentLog)

describe('The admin pages', () => {
  let service: Service
  beforeEach(async () => {
    service = await start({})
  })
  afterEach(() => service.stop())

  const ask = (path: string, init?: RequestInit) => fetch(`${adminOf(service)}${path}`, init)

  it('report that the service is live and ready', async () => {
    const pages = { '/livez': 'live', '/readyz': 'ready', '/readyz?verbose': 'ready' }
    for (const [path, status] of Object.entries(pages)) {
      const answer = await ask(path)
      expect(answer.status).to.equal(200)
      expect(await answer.json()).to.deep.equal({ status })
    }
  })

  it('answer 404 to other paths and 405 to other methods', async () => {
    const unknown = await ask('/')
    expect(unknown.status).to.equal(404)
    expect((await ask('/livez/')).status).to.equal(404)
    const posted = await ask('/livez', { method: 'POST' })
    expect(posted.status).to.equal(405)
    expect(posted.headers.get('allow')).to.equal('GET, HEAD')
    for (const answer of [unknown, posted])
      expect(answer.headers.get('content-type')).to.equal('application/problem+json')
    const head = await ask('/readyz', { method: 'HEAD' })
    expect([head.status, await head.text()]).to.deep.equal([200, ''])
  })

  it('are not on the public port', async () => {
    for (const path of ['/livez', '/readyz', '/metrics'])
      expect((await fetch(`${service.url}${path}`)).status, path).to.equal(404)
  })
})

describe('The service', () => {
  let service: Service | undefined
  let blocker: Server | undefined
  afterEach(async () => {
    blocker?.close()
    await service?.stop()
    service = undefined
  })

  it('has no admin pages unless ADMIN_PORT is set', async () => {
    service = await start({ ADMIN_PORT: '' })
    expect(adminOf(service)).to.equal('')
  })

  it('leaves nothing open when it cannot start', async () => {
    blocker = createServer()
    const taken = await listenOnFreePort(blocker)
    const admin = String(await closedPort())
    const failure = await start({ PORT: String(taken), ADMIN_PORT: admin }).catch(error => error)
    expect(failure.message).to.contain(`port ${taken} of 127.0.0.1`)
    service = await start({ ADMIN_PORT: admin })
    expect(adminOf(service)).to.equal(`http://127.0.0.1:${admin}`)
  })
})
