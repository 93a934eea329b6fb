import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cannotListen } from '@snippets/apps/cannot-listen.js'
import { SettingsError } from '@snippets/apps/settings/settings-error.js'
import { expect } from 'chai'
import { closedPort, listenOnFreePort } from '../support/free-port.js'
import { composedServices } from '../support/service/composed-service.js'

const json = { 'Content-Type': 'application/json' }
const body = JSON.stringify({ title: 'kept', code: 'x', language: 'none' })

describe('The admin pages', () => {
  const start = composedServices()

  it('report that the service is live and ready, to GET and HEAD alone', async () => {
    const { adminUrl } = await start({ ADMIN_PORT: '0' })
    const ask = (path: string, method = 'GET') => fetch(`${adminUrl}${path}`, { method })
    for (const [path, status] of Object.entries({ '/livez': 'live', '/readyz': 'ready', '/readyz?verbose': 'ready' })) {
      const answer = await ask(path)
      expect([answer.status, await answer.json()]).to.deep.equal([200, { status }])
    }
    const head = await ask('/readyz', 'HEAD')
    expect([head.status, await head.text()]).to.deep.equal([200, ''])
    const [unknown, posted] = [await ask('/livez/'), await ask('/livez', 'POST')]
    expect([unknown.status, posted.status, posted.headers.get('allow')]).to.deep.equal([404, 405, 'GET, HEAD'])
    for (const { headers } of [unknown, posted])
      expect(headers.get('content-type')).to.equal('application/problem+json')
  })

  it('are not on the public port, and nowhere unless ADMIN_PORT is set', async () => {
    const { url, adminUrl } = await start()
    expect(adminUrl).to.equal('')
    for (const path of ['/livez', '/readyz', '/metrics']) expect((await fetch(url + path)).status, path).to.equal(404)
  })
})

describe('The service', () => {
  const start = composedServices()
  let blocker: Server | undefined
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'service-'))
  })
  afterEach(async () => {
    blocker?.close()
    await rm(folder, { recursive: true })
  })

  const failure = async (environment: Parameters<typeof start>[0]): Promise<Error> => {
    const error = await start(environment).catch(error => error)
    expect(error).to.be.an('error')
    return error
  }

  it('says which port is taken, and leaves nothing open when it cannot start', async () => {
    blocker = createServer()
    const taken = await listenOnFreePort(blocker)
    const sentence = (setting: string) =>
      `Cannot listen on port ${taken} of 127.0.0.1: it is already in use. Set ${setting} to another port, or to 0 for any free one.`
    expect((await failure({ ADMIN_PORT: String(taken) })).message).to.equal(sentence('ADMIN_PORT'))
    const ADMIN_PORT = String(await closedPort())
    expect((await failure({ ADMIN_PORT, PORT: String(taken) })).message).to.equal(sentence('PORT'))
    expect((await start({ ADMIN_PORT })).adminUrl).to.equal(`http://127.0.0.1:${ADMIN_PORT}`)
  })

  for (const [code, why] of [
    ['EACCES', 'permission denied. Set PORT to a port above 1023'],
    ['EADDRNOTAVAIL', 'this machine has no such address. Set HOST to one that it has'],
    ['ENOTFOUND', 'this machine has no such address. Set HOST to one that it has'],
    ['EMFILE', 'Error: planted'],
  ] as const)
    it(`explains that it cannot listen because of ${code}`, () => {
      const cause = Object.assign(new Error('planted'), { code })
      expect(cannotListen('', { host: 'h', port: 80 }, cause).message).to.equal(
        `Cannot listen on port 80 of h: ${why}.`,
      )
    })

  it('says what is wrong with MONGODB_URL, without its password', async () => {
    const error = await failure({ STORAGE: 'mongo', MONGODB_URL: 'mongodb://user:hush@127.0.0.1/?bogus=1' })
    expect(error).to.be.instanceOf(SettingsError)
    expect(error.message).to.equal('MONGODB_URL cannot be used: option bogus is not supported.')
  })

  it('makes DATA_DIR, keeps everything there over a restart, and leaves a directory that is in use alone', async () => {
    const DATA_DIR = join(folder, 'data')
    const first = await start({ DATA_DIR })
    const inUse = await failure({ DATA_DIR })
    expect(inUse).to.be.instanceOf(SettingsError)
    expect(inUse.message).to.equal(
      `DATA_DIR cannot be used: ${DATA_DIR} is in use by another process. Stop that one, or use another directory.`,
    )
    const created = await fetch(`${first.url}/api/snippets/`, { method: 'POST', headers: json, body })
    expect(created.status).to.equal(201)
    await first.stop()
    const { url } = await start({ DATA_DIR })
    expect((await fetch(`${url}/api/snippets/1/`)).status).to.equal(200)
  })

  it('hides the password of a URL that was given as DATA_DIR', async () => {
    const { message } = await failure({ DATA_DIR: 'mongodb://u:s3cret@h/x' })
    expect(message).to.match(/^DATA_DIR cannot be used: \*\*\*@h\/x cannot be made /)
  })

  it('turns readiness off when it stops, serves for DRAIN_DELAY_MS, and cuts what outlasts SHUTDOWN_GRACE_MS', async () => {
    const { url, adminUrl, stop } = await start({ ADMIN_PORT: '0', DRAIN_DELAY_MS: '500', SHUTDOWN_GRACE_MS: '100' })
    const slow = request(`${url}/api/snippets/`, { method: 'POST', headers: { ...json, 'Content-Length': 100 } })
    const cut = new Promise(resolve => slow.on('error', resolve))
    slow.write('{')
    const stopped = stop()
    const statuses = await Promise.all([`${adminUrl}/readyz`, `${url}/api/users/`].map(page => fetch(page)))
    expect(statuses.map(({ status }) => status)).to.deep.equal([503, 200])
    await Promise.all([stopped, cut])
  })
})
