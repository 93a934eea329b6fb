import { once } from 'node:events'
import { request } from 'node:http'
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

  it('count and time requests by method, route and status', async () => {
    await (await fetch(`${service.url}/api/snippets/7/`)).text()
    await (await fetch(`${service.url}/api/snippets/8/`)).text()
    const answer = await ask('/metrics')
    const metrics = await answer.text()
    expect(answer.headers.get('content-type')).to.match(/^text\/plain/)
    expect(metrics).to.contain(
      'http_request_duration_seconds_count{method="GET",route="/api/snippets/:id/",status="404"} 2',
    )
    expect(metrics).to.contain('process_resident_memory_bytes')
    expect(metrics).to.contain('nodejs_eventloop_lag_seconds')
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

  it('report not ready while it stops, when requests in flight still get their answers', async () => {
    const body = JSON.stringify({ title: 'slow', code: 'x', language: 'y' })
    const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length }
    const slow = request(`${service.url}/api/snippets/`, { method: 'POST', headers })
    slow.write(body.slice(0, 10))
    await (await fetch(`${service.url}/api/snippets/`)).text()
    const stopped = service.stop()
    const answer = await ask('/readyz')
    expect(answer.status).to.equal(503)
    expect(answer.headers.get('content-type')).to.equal('application/problem+json')
    expect(await answer.json()).to.deep.include({ status: 503, detail: 'The service is stopping.' })
    slow.end(body.slice(10))
    const [response] = await once(slow, 'response')
    expect(response.statusCode).to.equal(201)
    response.resume()
    await stopped
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

  it('reports not ready while its database is down', async () => {
    service = await start({ STORAGE: 'mongo', MONGODB_URL: `mongodb://127.0.0.1:${await closedPort()}/` })
    const answer = await fetch(`${adminOf(service)}/readyz`)
    expect(answer.status).to.equal(503)
    expect(await answer.json()).to.deep.include({ detail: 'The storage does not answer.' })
    expect((await fetch(`${adminOf(service)}/livez`)).status).to.equal(200)
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
