import { EventEmitter, once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mock } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { LongResponses } from '@snippets/adapters-http/server/long-responses.js'
import { createMemoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import type { Environment } from '@snippets/apps/settings/setting-parsers.js'
import { storages } from '@snippets/apps/storages/storages.js'
import { addToken } from '@snippets/apps/tokens/add-token.js'
import { transfer } from '@snippets/apps/transfer/transfer-rows.js'
import type { Row } from '@snippets/domain/entities/row.js'
import { type RowBatches, rowFailure } from '@snippets/domain/ports/row-store.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { errorText } from '../support/error-text.js'
import { eventually } from '../support/eventually.js'
import { closedPort } from '../support/free-port.js'
import { openConnection } from '../support/http/raw-http.js'
import { get, requestHead } from '../support/http/wire.js'
import { bodyOf } from '../support/samples.js'
import { composedServices } from '../support/service/composed-service.js'
import { closedGate } from '../support/service/gate.js'
import { anId, must } from '../support/snippets.js'
import { directories } from '../support/storage/data-directory.js'

const aUser = (username: string): Row => ({ kind: 'user', entity: { id: anId(1n), username } })

/** A batch that exceeds the buffers of a connection. */
const users = [aUser('x'.repeat(100_000))]

describe('The admin port', () => {
  const start = composedServices()
  const newDirectory = directories()
  afterEach(() => mock.restoreAll())

  const startOn = (changes: Partial<Storage>, environment: Environment = {}) => {
    mock.method(storages.memory, 'open', () => async () => right({ ...createMemoryStorage({ users: [] }), ...changes }))
    return start({ ADMIN_PORT: '0', ...environment })
  }
  const brokeOff = { level: 'warn', msg: 'a backup broke off: the rows that were sent are incomplete' }
  const snapshotOf = (rows: () => RowBatches) => async () => right({ lastId: 0n, rows: rows() })

  it('reports that the service is live and ready, answers only GET and HEAD, and exists only with ADMIN_PORT', async () => {
    const { url, adminUrl } = await start({ ADMIN_PORT: '0' })
    const ask = (path: string, method = 'GET') => fetch(`${adminUrl}${path}`, { method })
    for (const [path, status] of Object.entries({ '/livez': 'live', '/readyz': 'ready', '/readyz?verbose': 'ready' })) {
      const response = await ask(path)
      expect([response.status, await response.json()]).to.deep.equal([200, { status }])
      expect((await fetch(url + path)).status).to.equal(404)
    }
    const head = await ask('/readyz', 'HEAD')
    expect([head.status, await head.text()]).to.deep.equal([200, ''])
    const [unknown, posted] = [await ask('/livez/'), await ask('/livez', 'POST')]
    expect([unknown.status, posted.status, posted.headers.get('allow')]).to.deep.equal([404, 405, 'GET, HEAD'])
    for (const { headers } of [unknown, posted]) {
      expect(headers.get('content-type')).to.equal('application/problem+json')
      expect(headers.get('cache-control')).to.equal('no-store')
    }
    expect(await start()).to.deep.include({ adminUrl: '', localPorts: { api: true, admin: true } })
  })

  it('is not ready until the storage is open and prepared', async () => {
    const [opening, preparing] = [closedGate(), closedGate()]
    mock.method(storages.memory, 'open', () => async () => {
      await opening.pass()
      const prepared = preparing.pass()
      return right({ ...createMemoryStorage({ users: [] }), whenPrepared: () => prepared })
    })
    const ADMIN_PORT = String(await closedPort())
    const starting = start({ ADMIN_PORT })
    const answer = async () => (await fetch(`http://127.0.0.1:${ADMIN_PORT}/readyz`)).json()
    await eventually(() => answer().then(Boolean, () => false))
    expect(await answer()).to.include({ detail: 'The service is starting.' })
    opening.open()
    await starting
    expect(await answer()).to.include({ detail: 'The storage is being prepared.' })
    preparing.open()
    expect(await answer()).to.deep.equal({ status: 'ready' })
  })

  it('returns a problem and logs the cause when an endpoint fails', async () => {
    const err = new Error('planted')
    const { adminUrl, logged } = await startOn({ check: () => Promise.reject(err) })
    const response = await fetch(`${adminUrl}/metrics`)
    expect(response.status).to.equal(500)
    expect(await response.json()).to.include({ type: 'urn:snippets:internal' })
    await eventually(() => logged.length > 0)
    const requestId = response.headers.get('X-Request-Id')
    expect(logged.map(({ level, msg, ...line }) => [level, line])).to.deep.equal([['error', { requestId, err }]])
  })

  it('sends a backup that a transfer restores', async () => {
    const folder = await newDirectory()
    const [from, to] = [join(folder, 'backup.ndjson'), join(folder, 'restored')]
    const { url, adminUrl, logged } = await start({ ADMIN_PORT: '0', DATA_DIR: join(folder, 'data') })
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify(bodyOf({ code: '😀' }))
    const created = await fetch(`${url}/api/snippets/`, { method: 'POST', headers, body })
    expect([created.status, created.headers.get('Location')]).to.deep.equal([201, '/api/snippets/1/'])
    const lastBackup = async () => {
      const page = await (await fetch(`${adminUrl}/metrics`)).text()
      return Number(/^backup_last_success_timestamp_seconds (.*)$/m.exec(page)?.[1])
    }
    expect(await lastBackup()).to.equal(0)
    const [before, text] = [Date.now(), await (await fetch(`${adminUrl}/backup`)).text()]
    await writeFile(from, text)
    const bytes = Buffer.byteLength(text)
    expect(logged.at(-1)).to.deep.equal({ level: 'info', msg: 'a backup was sent', token: undefined, bytes })
    expect((await lastBackup()) * 1000).to.be.within(before, Date.now())
    expect(must(await transfer({ from, to }, { copied: 0, compared: 0 })())).to.equal(1)
    const restored = await start({ DATA_DIR: to })
    expect(restored.logged).to.deep.equal([
      { level: 'info', msg: 'loading snippets from DATA_DIR' },
      { level: 'info', msg: 'loaded snippets from DATA_DIR', snippets: 1 },
    ])
    expect((await fetch(`${restored.url}/api/snippets/1/`)).status).to.equal(200)
  })

  it('sends a backup of DATA_DIR to a token or a loopback address, and logs the token or its lack', async () => {
    const file = join(await newDirectory(), 'tokens')
    const headers = { Authorization: `Bearer ${must(addToken({ name: 'ada', scope: 'read' }, file))}` }
    const withTokens = { API_TOKENS_FILE: file, ADMIN_HOST: '0.0.0.0' }
    const backup = async (environment: Environment, init: RequestInit = {}) => {
      const { adminUrl, logged } = await start({ ADMIN_PORT: '0', DATA_DIR: await newDirectory(), ...environment })
      const response = await fetch(`${adminUrl}/backup`, init)
      return { response, text: await response.text(), logged }
    }
    const missing = await backup({ DATA_DIR: '' })
    expect(missing.response.status).to.equal(404)
    expect(missing.text).to.contain('how to back it up')
    expect((await backup({ ADMIN_HOST: '0.0.0.0' })).response.status).to.equal(403)
    const rejected = await backup(withTokens)
    expect(rejected.response.status).to.equal(401)
    await eventually(() => rejected.logged.some(({ level }) => level === 'warn'))
    expect(rejected.logged.at(-1)).to.deep.equal({
      level: 'warn',
      msg: 'a backup was rejected: its token is missing, unknown or revoked',
      requestId: rejected.response.headers.get('X-Request-Id'),
    })
    const sent = await backup(withTokens, { headers })
    expect(sent.response.status).to.equal(200)
    expect(sent.logged.at(-1)).to.include({ msg: 'a backup was sent', token: 'ada' })
  })

  it('sends one backup at a time, and the next after a HEAD and after a client has left', async () => {
    const events = new EventEmitter()
    const rows = async function* () {
      try {
        for (;;) yield right(users)
      } finally {
        events.emit('end')
      }
    }
    const { adminUrl, logged } = await startOn({ snapshot: snapshotOf(rows) })
    const ask = async () => {
      const leaving = new AbortController()
      // fetch cancels a response that is collected as garbage
      const response = await fetch(`${adminUrl}/backup`, { signal: leaving.signal })
      return { response, leave: () => leaving.abort() }
    }
    expect((await fetch(`${adminUrl}/backup`, { method: 'HEAD' })).status).to.equal(200)
    const first = await ask()
    expect([first.response.status, (await ask()).response.status]).to.deep.equal([200, 503])
    const ended = once(events, 'end')
    first.leave()
    await ended
    await eventually(() => logged.length > 0)
    expect(logged).to.have.length(1)
    expect(logged[0]).to.include(brokeOff)
    expect(logged[0]?.bytes).to.be.greaterThan(10_000)
    const second = await ask()
    expect(second.response.status).to.equal(200)
    second.leave()
  })

  it('sends a backup completely when CONNECT follows in the same packet, and then the next', async () => {
    async function* rows(): RowBatches {
      for (let i = 0; i < 100; i++) yield right(users)
    }
    const { adminUrl } = await startOn({ snapshot: snapshotOf(rows) })
    for (let round = 0; round < 2; round++) {
      const client = await openConnection(adminUrl)
      client.send(get('/backup') + requestHead('CONNECT', 'a:80'))
      expect((await client.response('GET')).text).to.match(/"kind":"end".*\n$/)
      expect((await client.response('CONNECT')).status).to.equal(400)
      expect(await client.ended()).to.equal('closed')
    }
  })

  it('logs that a backup broke off when its client leaves before the last bytes', async () => {
    const stream = mock.method(LongResponses.prototype, 'stream')
    const response = () => stream.mock.calls[0]?.arguments[0]
    const rows = async function* () {
      // until the buffers of the kernel are full
      while (response()?.writableLength === 0) yield right([aUser('x'.repeat(10_000))])
    }
    const { adminUrl, logged } = await startOn({ snapshot: snapshotOf(rows) })
    const client = await openConnection(adminUrl)
    client.pause()
    client.send(get('/backup'))
    await eventually(() => response()?.writableEnded === true)
    client.reset()
    await eventually(() => logged.length > 0)
    expect(logged).to.have.length(1)
    expect(logged[0]).to.include(brokeOff)
    expect(logged[0]?.bytes).to.be.greaterThan(10_000)
  })

  it('logs that a backup broke off, instead of a failure, when a stop makes its rows fail', async () => {
    const closing = closedGate()
    const rows = async function* () {
      yield right(users)
      await closing.pass()
      yield left(rowFailure('planted'))
    }
    const storage = { snapshot: snapshotOf(rows), close: async () => right(closing.open()) }
    const { adminUrl, logged, stop } = await startOn(storage, { SHUTDOWN_GRACE_MS: '0' })
    const waiting = closing.arrival()
    const response = await fetch(`${adminUrl}/backup`)
    const broken = response.text().catch(() => {})
    await waiting
    await stop()
    await broken
    // a request logs its failure a turn of the event loop after the end of its connection
    for (let turns = 0; turns < 3; turns++) await nextTurn()
    expect(logged).to.have.length(1)
    expect(logged[0]).to.include({ ...brokeOff, reason: 'The service is stopping.' })
  })

  for (const batches of [[], [right(users)]])
    it(`breaks off a backup, and logs the cause, when its batch ${batches.length + 1} cannot be read`, async () => {
      const rows = async function* () {
        yield* batches
        yield left(rowFailure('is damaged'))
      }
      const { adminUrl, logged } = await startOn({ snapshot: snapshotOf(rows) })
      const backup = fetch(`${adminUrl}/backup`).then(response => response.text())
      expect(await backup.catch(({ cause }) => cause.code)).to.equal('UND_ERR_SOCKET')
      await eventually(() => logged.length > 1)
      expect(logged.map(({ msg }) => msg)).to.include(brokeOff.msg)
      expect(logged.map(({ err }) => errorText(err))).to.include('Error: the storage: is damaged')
    })
})
