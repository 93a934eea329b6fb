import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { request } from 'node:http'
import { devNull, hostname } from 'node:os'
import { resolve } from 'node:path'
import { mock } from 'node:test'
import { getHeapStatistics } from 'node:v8'
import { exitConfig } from '@snippets/apps/exit.js'
import { makeGreeting } from '@snippets/apps/service/announce.js'
import { readSettings } from '@snippets/apps/settings/settings.js'
import { storages } from '@snippets/apps/storages/storages.js'
import { exampleContent } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import { ClassicLevel } from 'classic-level'
import { errorText } from '../support/error-text.js'
import { eventually } from '../support/eventually.js'
import { closedPort } from '../support/free-port.js'
import { bodyOf } from '../support/samples.js'
import { composedServices, startFailure } from '../support/service/composed-service.js'
import { closedGate } from '../support/service/gate.js'
import { must } from '../support/snippets.js'
import { directories, onBatch } from '../support/storage/data-directory.js'
import { databases } from '../support/storage/databases.js'
import { noTokensFile } from '../support/workspace-root.js'

const json = { 'Content-Type': 'application/json' }

describe('The service', () => {
  const start = composedServices()
  const newDirectory = directories()
  const portInUse = async (): Promise<string> => new URL((await start()).url).port

  it('names the settings of a port in use, and what to do', async () => {
    const port = await portInUse()
    const inUse = `listen EADDRINUSE: address already in use 127.0.0.1:${port}`
    const why = `cannot be used: ${inUse}. Set another one, or stop the process that uses it.`
    for (const prefix of ['', 'ADMIN_'])
      expect(await startFailure({ [`${prefix}PORT`]: port })).to.deep.equal({
        exitCode: 1,
        message: `${prefix}PORT or ${prefix}HOST ${why}`,
        mayExit: true,
      })
  })

  it('reports a port in use although DATA_DIR does not open', async () => {
    const settings = { ADMIN_PORT: await portInUse(), DATA_DIR: await newDirectory(), SHUTDOWN_GRACE_MS: '0' }
    mock.method(ClassicLevel.prototype, 'open', () => new Promise(() => {}))
    expect(await startFailure(settings).finally(() => mock.reset())).to.include({ exitCode: 1, mayExit: false })
  })

  it('warns of a MEMORY_LIMIT_MB that the heap cannot hold', async () => {
    const heap = Math.floor(getHeapStatistics().heap_size_limit / 1024 ** 2) - 220
    const msg = `MEMORY_LIMIT_MB is 1000000, but the heap can hold ${heap} MiB: raise --max-old-space-size, or lower MEMORY_LIMIT_MB`
    expect((await start({ MEMORY_LIMIT_MB: '1000000' })).logged).to.deep.equal([{ level: 'warn', msg }])
    expect((await start({ MEMORY_LIMIT_MB: '50' })).logged).to.deep.equal([])
  })

  it('closes everything when it cannot start', async () => {
    const ADMIN_PORT = String(await closedPort())
    // a failed start does not drain
    const failure = await startFailure({ ADMIN_PORT, PORT: await portInUse(), DRAIN_DELAY_MS: '600000' })
    expect(failure).to.include({ exitCode: 1 })
    expect(await startFailure({ ADMIN_PORT, DATA_DIR: `${devNull}/x` })).to.include({ exitCode: exitConfig })
    expect((await start({ ADMIN_PORT })).adminUrl).to.equal(`http://127.0.0.1:${ADMIN_PORT}`)
  })

  for (const [STORAGE, { setting, invalidUrls }] of Object.entries(databases))
    it(`explains an invalid ${setting}, and hides its password`, async () => {
      for (const [url, why] of Object.entries(invalidUrls))
        expect(await startFailure({ STORAGE, [setting]: url })).to.deep.equal({
          exitCode: exitConfig,
          message: `${setting} cannot be used: ${why}.`,
          mayExit: true,
        })
    })

  it('reports a failure of DATA_DIR, sends a backup without keys during it, and closes the directory at a stop', async () => {
    const DATA_DIR = await newDirectory()
    const { url, adminUrl, logged, stop } = await start({ DATA_DIR, ADMIN_PORT: '0' })
    const body = JSON.stringify(bodyOf())
    const withKey = { ...json, 'Idempotency-Key': 'k' }
    const create = async (headers = json): Promise<number> =>
      (await fetch(`${url}/api/snippets/`, { method: 'POST', headers, body })).status
    const backup = async (): Promise<readonly unknown[]> => {
      const response = await fetch(`${adminUrl}/backup`)
      expect(response.status).to.equal(200)
      const lines = (await response.text()).trimEnd().split('\n')
      return lines.map(line => JSON.parse(line)).map(({ kind, row }) => [kind, row.id ?? row.last_id])
    }
    const isReady = async (): Promise<boolean> => (await fetch(`${adminUrl}/readyz`)).ok
    const metrics = async (): Promise<string> => (await fetch(`${adminUrl}/metrics`)).text()
    expect(await create(withKey)).to.equal(201)
    const { open } = ClassicLevel.prototype
    const repaired = closedGate()
    mock.method(ClassicLevel.prototype, 'open', async function (this: ClassicLevel, ...args: Parameters<typeof open>) {
      await repaired.pass()
      return Reflect.apply(open, this, args)
    })
    onBatch(() => Promise.reject(new Error('broken')))
    expect(await create()).to.equal(503)
    const detail = 'The storage does not answer, or rejects writes: the log has the cause.'
    expect(await (await fetch(`${adminUrl}/readyz`)).json()).to.include({ status: 503, detail })
    // the id of a write with an unknown outcome must not be assigned again after a restore
    expect(await backup()).to.deep.equal([
      ['head', '2'],
      ['snippet', '1'],
      ['end', undefined],
    ])
    expect(await metrics()).to.contain('\ndata_directory_failures_total 1\n')
    mock.reset()
    repaired.open()
    await eventually(isReady)
    expect(await create()).to.equal(201)
    const lines = logged.flatMap(({ level, msg, err }) => (msg.startsWith('DATA_DIR') ? [[level, errorText(err)]] : []))
    expect(lines).to.deep.equal([
      ['error', 'Error: broken'],
      ['info', 'undefined'],
    ])
    await stop()
    expect((await fetch(`${(await start({ DATA_DIR })).url}/api/snippets/1/`)).status).to.equal(200)
  })

  it('limits connections and their idle times as its settings say', async () => {
    for (const [settings, name, value] of [
      [{ IDLE_TIMEOUT_MS: '7000' }, 'Keep-Alive', 'timeout=7'],
      [{ MAX_CONNECTIONS: '1' }, 'Connection', 'close'],
    ] as const)
      expect((await fetch(`${(await start(settings)).url}/api/users/`)).headers.get(name)).to.equal(value)
  })

  it('closes connections after SHUTDOWN_GRACE_MS', async () => {
    const { url, stop } = await start({ DRAIN_DELAY_MS: '0', SHUTDOWN_GRACE_MS: '50' })
    const slow = request(`${url}/api/snippets/`, { method: 'POST', headers: { ...json, 'Content-Length': 100 } })
    const cut = once(slow, 'error')
    slow.write('{')
    const [socket] = await once(slow, 'socket')
    await once(socket, 'connect')
    const [[error]] = await Promise.all([cut, stop(), stop()])
    expect(error).to.include({ code: 'ECONNRESET' })
  })

  it('greets with its addresses, its storage and two curl commands, which send a token where one is needed', () => {
    const settings = must(readSettings({ API_TOKENS_FILE: noTokensFile, DATA_DIR: 'data' }))
    const ends = { stop: async () => {}, closeStorage: async () => true }
    const localPorts = { api: true, admin: true }
    const service = { url: 'http://h:1', adminUrl: 'http://h:2', localPorts, reload: () => {}, ...ends }
    const header = `-H 'Authorization: Bearer '"$TOKEN"`
    const storedIn = storages.memory.location(settings)
    expect(makeGreeting(service, settings, storedIn)).to.equal(`Snippets is listening on http://h:1
Its admin endpoints are on http://h:2
Snippets are stored in memory and ${resolve('data')}.

With your token in TOKEN, create a snippet, then list the snippets:
  curl http://h:1/api/snippets-viewset/ ${header} -H 'Content-Type: application/json' -d '${JSON.stringify(exampleContent)}'
  curl http://h:1/api/snippets-viewset/ ${header}
`)
    expect(makeGreeting(service, must(readSettings({})), storedIn)).to.contain('\nCreate a snippet, then list the')
  })
})

describe('Against DNS rebinding,', () => {
  const start = composedServices()

  const statusFor = (url: string, Host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request(url, { headers: { Host }, agent: false }, response => resolve(response.resume().statusCode))
        .on('error', reject)
        .end()
    })

  const foreign = ['rebound.example', 'rebound.example:8000', 'localhost.example', '127.0.0.1.example', '127.1', 'h']
  const statuses = async (url: string, hosts: readonly string[]) =>
    [...new Set(await Promise.all(hosts.map(host => statusFor(url, host))))].toSorted()

  const ownAddresses = ['127.0.0.1', '10.0.0.1:80', '[::1]:80', '127.0.0.1.']
  const ownNames = ['localhost:1', 'LOCALHOST', 'a.localhost', 'snippets.example:81', 'LOCALHOST.:1']
  const own = [...ownAddresses, ...ownNames]
  const local = { PUBLIC_URL: 'https://Snippets.example/a' }
  const withTokens = { API_TOKENS_FILE: noTokensFile, ...local }
  const open = { HOST: '0.0.0.0', ADMIN_HOST: '0.0.0.0' }
  for (const [what, settings, ofOwn, ofApi, ofAdmin] of [
    ['the API and the admin port on loopback reject foreign Hosts', local, 200, 421, 421],
    ['only the admin port rejects foreign Hosts when tokens are set', withTokens, 401, 401, 421],
    ['the API and the admin port on the network accept foreign Hosts', open, 200, 200, 200],
    ['the API rejects foreign Hosts when HOST is a name for loopback', { HOST: 'LOCALHOST', ...local }, 200, 421, 421],
  ] as const)
    it(what, async () => {
      const { url, adminUrl, localPorts } = await start({ ADMIN_PORT: '0', ...settings })
      expect(localPorts).to.deep.equal({ api: settings !== open, admin: settings !== open })
      expect(await statuses(`${url}/api/snippets/`, own)).to.deep.equal([ofOwn])
      expect(await statuses(`${adminUrl}/livez`, own)).to.deep.equal([200])
      expect(await statuses(`${url}/api/snippets/`, foreign)).to.deep.equal([ofApi])
      expect(await statuses(`${adminUrl}/livez`, foreign)).to.deep.equal([ofAdmin])
    })

  it('the admin port on loopback accepts HOST', async function () {
    const HOST = hostname()
    const isAddress = await lookup(HOST).then(Boolean, () => false)
    if (!isAddress) this.skip()
    const { adminUrl } = await start({ ADMIN_PORT: '0', HOST })
    expect(await statuses(`${adminUrl}/livez`, [HOST, `${HOST}.:80`])).to.deep.equal([200])
  })
})
