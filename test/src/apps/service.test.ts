import { EventEmitter, once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, request, type Server } from 'node:http'
import { join, resolve } from 'node:path'
import { mock } from 'node:test'
import { type AdminOptions, adminApp } from '@snippets/adapters-http/admin/admin-app.js'
import { problem } from '@snippets/adapters-http/response/problems.js'
import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { greeting } from '@snippets/apps/greeting.js'
import { exitConfig } from '@snippets/apps/operator-messages.js'
import { readSettings } from '@snippets/apps/settings/settings.js'
import { storages } from '@snippets/apps/storages/storages.js'
import { addToken } from '@snippets/apps/tokens/add-token.js'
import { rowLine } from '@snippets/apps/transfer/ndjson.js'
import { transfer } from '@snippets/apps/transfer/transfer-rows.js'
import { exampleContent, firstVersion } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import { ClassicLevel } from 'classic-level'
import * as E from 'fp-ts/lib/Either.js'
import { some } from 'fp-ts/lib/Option.js'
import { right as answering } from 'fp-ts/lib/TaskEither.js'
import { eventually } from '../support/eventually.js'
import { closedPort, listenOnFreePort } from '../support/free-port.js'
import { bodyOf } from '../support/samples.js'
import { composedServices, startFailure } from '../support/service/composed-service.js'
import { recordingLog } from '../support/service/logs.js'
import { anId, draft, must } from '../support/snippets.js'
import { directories } from '../support/storage/data-directory.js'

const json = { 'Content-Type': 'application/json' }

/** Serves the admin endpoints of a service that does nothing, and closes them after each test. */
const adminPorts = () => {
  const servers: Server[] = []
  afterEach(() => {
    for (const server of servers) server.close().closeAllConnections()
  })
  return async (options: Partial<AdminOptions>) => {
    const { log, lines } = recordingLog()
    const nothing = { contentType: '', metrics: async () => '' }
    const backup = () => E.left(problem('unknown-path'))
    const isLocal = () => true
    const app = { ready: answering(undefined), registry: nothing, log, isForThisService: isLocal, isLocal, backup }
    const server = createServer(adminApp({ ...app, ...options }))
    servers.push(server)
    return { url: `http://127.0.0.1:${await listenOnFreePort(server)}`, lines }
  }
}

const body = JSON.stringify(bodyOf({ title: 't', code: 'c', language: 'l' }))

const createAt = (url: string): Promise<Response> =>
  fetch(`${url}/api/snippets/`, { method: 'POST', headers: json, body })

const statusOf = async (...request: Parameters<typeof fetch>): Promise<number> => {
  const response = await fetch(...request)
  await response.text()
  return response.status
}

describe('The admin endpoints', () => {
  const start = composedServices()
  const serve = adminPorts()

  it('report that the service is live and ready, and answer only GET and HEAD', async () => {
    const { adminUrl } = await start({ ADMIN_PORT: '0' })
    const ask = (path: string, method = 'GET') => fetch(`${adminUrl}${path}`, { method })
    for (const [path, status] of Object.entries({ '/livez': 'live', '/readyz': 'ready', '/readyz?verbose': 'ready' })) {
      const response = await ask(path)
      expect([response.status, await response.json()]).to.deep.equal([200, { status }])
    }
    const head = await ask('/readyz', 'HEAD')
    expect([head.status, await head.text()]).to.deep.equal([200, ''])
    const [unknown, posted] = [await ask('/livez/'), await ask('/livez', 'POST')]
    expect([unknown.status, posted.status, posted.headers.get('allow')]).to.deep.equal([404, 405, 'GET, HEAD'])
    for (const { headers } of [unknown, posted]) {
      expect(headers.get('content-type')).to.equal('application/problem+json')
      expect(headers.get('cache-control')).to.equal('no-store')
    }
  })

  it('are not ready while the storage opens, and until it is prepared', async () => {
    const [opening, preparing] = [new EventEmitter(), new EventEmitter()]
    const storage = memoryStorage({ users: [] })
    const prepared = once(preparing, 'end').then(() => {})
    const open = mock.method(storages.memory, 'open', () => async () => {
      await once(opening, 'end')
      return E.right({ ...storage, prepared })
    })
    const ADMIN_PORT = String(await closedPort())
    const starting = start({ ADMIN_PORT })
    const answer = async () => (await fetch(`http://127.0.0.1:${ADMIN_PORT}/readyz`)).json()
    await eventually(() =>
      answer().then(
        () => true,
        () => false,
      ),
    )
    expect(await answer()).to.include({ detail: 'The service is starting.' })
    open.mock.restore()
    opening.emit('end')
    await starting
    expect(await answer()).to.include({ detail: 'The storage is being prepared.' })
    preparing.emit('end')
    expect(await answer()).to.deep.equal({ status: 'ready' })
  })

  it('return a problem and log the cause when reading the metrics fails', async () => {
    const err = new Error('planted')
    const { url, lines } = await serve({ registry: { contentType: 'text/plain', metrics: () => Promise.reject(err) } })
    const response = await fetch(`${url}/metrics`)
    expect(response.status).to.equal(500)
    expect(await response.json()).to.include({ type: 'urn:snippets:internal' })
    expect(lines.map(({ level, err }) => [level, err])).to.deep.equal([['error', err]])
  })

  it('are not on the public port, and not served when ADMIN_PORT is not set', async () => {
    const { url, adminUrl } = await start()
    expect(adminUrl).to.equal('')
    for (const path of ['/livez', '/readyz', '/metrics']) expect((await fetch(url + path)).status, path).to.equal(404)
  })
})

describe('The service', () => {
  const start = composedServices()
  let blocker: Server | undefined
  const newDirectory = directories()
  afterEach(() => blocker?.close())

  it('names a port in use, and closes everything when it cannot start', async () => {
    blocker = createServer()
    const taken = String(await listenOnFreePort(blocker))
    const failure = { exitCode: 1, message: `listen EADDRINUSE: address already in use 127.0.0.1:${taken}` }
    expect(await startFailure({ ADMIN_PORT: taken })).to.deep.equal(failure)
    const ADMIN_PORT = String(await closedPort())
    // a failed start does not drain
    expect(await startFailure({ ADMIN_PORT, PORT: taken, DRAIN_DELAY_MS: '600000' })).to.deep.equal(failure)
    expect((await start({ ADMIN_PORT })).adminUrl).to.equal(`http://127.0.0.1:${ADMIN_PORT}`)
  })

  it('explains an invalid MONGODB_URL or DATA_DIR, and hides its password', async () => {
    const MONGODB_URL = 'mongodb://user:hush@127.0.0.1/?bogus=1'
    expect(await startFailure({ STORAGE: 'mongo', MONGODB_URL })).to.deep.equal({
      exitCode: exitConfig,
      message: 'MONGODB_URL cannot be used: option bogus is not supported.',
    })
    expect(await startFailure({ DATA_DIR: 'mongodb://u:s3cret@h/x' }))
      .to.include({ exitCode: exitConfig })
      .and.property('message')
      .match(/^DATA_DIR cannot be used: \*\*\*@h.x/)
    expect(storages.memory.location(must(readSettings({ DATA_DIR: 'u:s3cret@h' })))).to.equal('memory and ***@h')
  })

  it('keeps snippets in DATA_DIR over a restart, and does not start on a directory in use', async () => {
    const DATA_DIR = join(await newDirectory(), 'data')
    const first = await start({ DATA_DIR })
    const why = 'is in use by another process. Stop that process, or use another directory.'
    expect(await startFailure({ DATA_DIR })).to.include({ message: `DATA_DIR cannot be used: ${DATA_DIR} ${why}` })
    expect((await createAt(first.url)).status).to.equal(201)
    await first.stop()
    const { url } = await start({ DATA_DIR })
    expect((await fetch(`${url}/api/snippets/1/`)).status).to.equal(200)
  })

  it('reports the failure and the recovery of DATA_DIR in the log, in readiness and in the metrics', async () => {
    const { url, adminUrl, logged } = await start({ DATA_DIR: await newDirectory(), ADMIN_PORT: '0' })
    const create = async (): Promise<number> => (await createAt(url)).status
    const isReady = async (): Promise<boolean> => (await fetch(`${adminUrl}/readyz`)).ok
    const metrics = async (): Promise<string> => (await fetch(`${adminUrl}/metrics`)).text()
    const batch = mock.method(ClassicLevel.prototype, 'batch', () => Promise.reject(new Error('broken')))
    expect([await create(), await isReady()]).to.deep.equal([503, false])
    batch.mock.restore()
    expect(await metrics()).to.contain('\ndata_directory_failures_total 1\n')
    await eventually(isReady)
    expect(await create()).to.equal(201)
    const lines = logged.flatMap(({ level, msg }) => (msg.startsWith('DATA_DIR') ? [level] : []))
    expect(lines).to.deep.equal(['error', 'info'])
  })

  it('turns readiness off, serves for DRAIN_DELAY_MS, and closes connections after SHUTDOWN_GRACE_MS when it stops', async () => {
    const { url, adminUrl, stop } = await start({ ADMIN_PORT: '0', DRAIN_DELAY_MS: '300', SHUTDOWN_GRACE_MS: '50' })
    const slow = request(`${url}/api/snippets/`, { method: 'POST', headers: { ...json, 'Content-Length': 100 } })
    const cut = new Promise(resolve => slow.on('error', resolve))
    slow.write('{')
    const stopped = Promise.all([stop(), stop(), cut])
    const responses = await Promise.all([`${adminUrl}/readyz`, `${url}/api/users/`].map(page => fetch(page)))
    expect(responses.map(({ status }) => status)).to.deep.equal([503, 200])
    expect(await responses[0]?.text()).to.contain('The service is stopping.')
    await stopped
  })

  it('greets with its addresses, its storage and two curl commands, which send a token where one is needed', () => {
    const settings = { API_TOKENS_FILE: 'tokens', ADMIN_PORT: '0', DATA_DIR: 'data' }
    const service = { url: 'http://h:1', adminUrl: some('http://h:2'), reload: () => {}, stop: async () => {} }
    const header = `-H 'Authorization: Bearer '"$TOKEN"`
    expect(greeting(service, must(readSettings(settings)))).to.equal(`Snippets is listening on http://h:1
Its admin endpoints are on http://h:2
Snippets are stored in memory and ${resolve('data')}.

With your token in TOKEN, create a snippet, then list them all:
  curl http://h:1/api/snippets/ ${header} -H 'Content-Type: application/json' -d '${JSON.stringify(exampleContent)}'
  curl http://h:1/api/snippets/ ${header}
`)
  })
})

describe('The backup on the admin port', () => {
  const start = composedServices()
  const newDirectory = directories()
  const serve = adminPorts()

  it('restores what was written before it, while writes go on', async () => {
    const folder = await newDirectory()
    const [DATA_DIR, from, restored] = [join(folder, 'data'), join(folder, 'backup.ndjson'), join(folder, 'restored')]
    // more than LevelDB reads at once
    const before = Array.from({ length: 1200 }, () => firstVersion(anId(1n), draft()))
    const rows = before.map((row, i) => rowLine({ kind: 'snippet', row: { ...row, id: anId(BigInt(i + 1)) } }))
    const head = '{"kind":"head","row":{"format":"snippets-1","last_id":"1200"}}\n'
    await writeFile(from, `${head}${rows.join('')}{"kind":"end","row":{"rows":1200}}\n`)
    must(await transfer({ from, to: DATA_DIR })())

    const { url, adminUrl } = await start({ DATA_DIR, ADMIN_PORT: '0' })
    const backup = fetch(`${adminUrl}/backup`).then(response => response.text())
    const during = await Promise.all(Array.from({ length: 20 }, () => createAt(url)))
    expect(new Set(during.map(({ status }) => status))).to.deep.equal(new Set([201]))
    const text = await backup
    await writeFile(from, text)
    const count = must(await transfer({ from, to: restored })())
    expect(count).to.be.within(1200, 1220)
    const again = await start({ DATA_DIR: restored })
    const { snippets } = JSON.parse(await (await fetch(`${again.url}/api/snippets/`)).text())
    expect(snippets.map(({ id }: { id: number }) => id)).to.deep.equal(Array.from({ length: count }, (_, i) => i + 1))
    expect((await createAt(again.url)).headers.get('Location')).to.equal(`/api/snippets/${count + 1}/`)
  })

  it('needs DATA_DIR and the method GET', async () => {
    const inMemory = await start({ ADMIN_PORT: '0' })
    expect(await statusOf(`${inMemory.adminUrl}/backup`)).to.equal(404)
    const inDirectory = await start({ ADMIN_PORT: '0', DATA_DIR: await newDirectory() })
    for (const method of ['HEAD', 'POST'])
      expect(await statusOf(`${inDirectory.adminUrl}/backup`, { method })).to.equal(405)
  })

  it('needs a token where tokens are set, and else a loopback address', async () => {
    const folder = await newDirectory()
    const API_TOKENS_FILE = join(folder, 'tokens')
    const token = must(addToken({ name: 'ada', scope: 'read' }, API_TOKENS_FILE))
    const options = { ADMIN_PORT: '0', ADMIN_HOST: '0.0.0.0' }
    const withTokens = await start({ ...options, DATA_DIR: join(folder, 'a'), API_TOKENS_FILE })
    expect(await statusOf(`${withTokens.adminUrl}/backup`)).to.equal(401)
    const headers = { Authorization: `Bearer ${token}` }
    expect(await statusOf(`${withTokens.adminUrl}/backup`, { headers })).to.equal(200)
    const open = await start({ ...options, DATA_DIR: join(folder, 'b') })
    expect(await statusOf(`${open.adminUrl}/backup`)).to.equal(403)
  })

  it('is sent to one client at a time, and again after a client has left', async () => {
    const events = new EventEmitter()
    const pieces = async function* () {
      try {
        for (;;) yield 'x'.repeat(100_000)
      } finally {
        events.emit('close')
      }
    }
    const { url, lines } = await serve({ backup: () => E.right(pieces()) })
    const leaving = new AbortController()
    const first = await fetch(`${url}/backup`, { signal: leaving.signal })
    expect([first.status, await statusOf(`${url}/backup`)]).to.deep.equal([200, 503])
    const closed = once(events, 'close')
    leaving.abort()
    await closed
    expect((await fetch(`${url}/backup`)).status).to.equal(200)
    expect(lines.map(({ msg }) => msg)).to.include('an admin endpoint failed')
  })

  it('breaks the connection when the rows cannot be read', async () => {
    const { url, adminUrl } = await start({ ADMIN_PORT: '0', DATA_DIR: await newDirectory() })
    await createAt(url)
    const failing = mock.method(ClassicLevel.prototype, 'iterator', () => {
      throw new Error('broken')
    })
    const failed = await statusOf(`${adminUrl}/backup`).catch(({ cause }) => cause.code)
    failing.mock.restore()
    expect(failed).to.equal('UND_ERR_SOCKET')
  })
})

describe('DNS rebinding', () => {
  const start = composedServices()
  const newDirectory = directories()

  /** Sends a GET with this Host. */
  const statusFor = (url: string, Host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request(url, { headers: { Host }, agent: false }, response => resolve(response.resume().statusCode))
        .on('error', reject)
        .end()
    })

  const foreign = ['rebound.example', 'rebound.example:8000', 'localhost.example', '127.0.0.1.example', '127.1', 'h']
  const statuses = async (url: string, hosts: readonly string[]) =>
    [...new Set(await Promise.all(hosts.map(host => statusFor(url, host))))].toSorted()

  const local = { PUBLIC_URL: 'https://Snippets.example/a' }
  const own = ['127.0.0.1', '10.0.0.1:80', '[::1]:80', 'localhost:1', 'LOCALHOST', 'a.localhost', 'snippets.example:81']
  for (const [what, settings, ofOwn, ofApi, ofAdmin] of [
    ['reaches neither the API nor the admin port on loopback, which answer to own names', local, 200, 421, 421],
    ['reaches the API, but not the admin port, where tokens are set', { API_TOKENS_FILE: '', ...local }, 401, 401, 421],
    ['reaches a service that the network reaches', { HOST: '0.0.0.0', ADMIN_HOST: '0.0.0.0' }, 200, 200, 200],
    ['reaches the API by the name in HOST only', { HOST: 'localhost', ...local }, 200, 421, 421],
  ] as const)
    it(what, async () => {
      const file = join(await newDirectory(), 'tokens')
      await writeFile(file, '')
      const tokens = 'API_TOKENS_FILE' in settings && { API_TOKENS_FILE: file }
      const { url, adminUrl } = await start({ ADMIN_PORT: '0', ...settings, ...tokens })
      expect(await statuses(`${url}/api/snippets/`, own)).to.deep.equal([ofOwn])
      expect(await statuses(`${adminUrl}/livez`, own)).to.deep.equal([200])
      expect(await statuses(`${url}/api/snippets/`, foreign)).to.deep.equal([ofApi])
      expect(await statuses(`${adminUrl}/livez`, foreign)).to.deep.equal([ofAdmin])
    })
})
