import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, unlinkSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { closedPort } from '../../support/free-port.js'
import { openConnection } from '../../support/http/raw-http.js'
import { requestHead } from '../../support/http/wire.js'
import { importing, killAtExit } from '../../support/service/child-process.js'
import { logLinesOf } from '../../support/service/logs.js'
import { directories } from '../../support/storage/data-directory.js'
import { root } from '../../support/workspace-root.js'

/** Sends a message when it runs, and ends when the channel closes. */
const waitForParent = `process.on('message', () => {}); process.send('runs')`

const main = join(root, 'apps/dist/commands/main.js')

/**
 * Makes request ids and thereby log lines long. Emits a warning on SIGUSR2, and throws an uncaught error with a long
 * message on SIGWINCH.
 */
const planted = importing(`
  import crypto from 'node:crypto'
  import { syncBuiltinESMExports } from 'node:module'
  crypto.randomUUID = () => 'x'.repeat(10_000)
  syncBuiltinESMExports()
  process.on('SIGUSR2', () => process.emitWarning('planted'))
  process.on('SIGWINCH', () => { throw new Error('planted'.repeat(50_000)) })`)
// other tests may delay the event loop
const env = { PATH: process.env.PATH, PORT: String(await closedPort()), NODE_OPTIONS: planted }

/** Starts a service that logs to a pipe, as under a shell or Docker. The log is unread until the test reads it. */
const serve = async (folder: string) => {
  const path = join(folder, 'log')
  execFileSync('mkfifo', [path])
  // a pipe without a reader cannot be opened for writing
  const log = new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), writable: false })
  const stderr = openSync(path, 'w')
  // started first: a process of Node restores at its exit the flags of the pipe that it found
  const stdio = ['ignore', 'ignore', stderr, 'ipc'] as const
  const neighbour = killAtExit(spawn(process.execPath, ['-e', waitForParent], { stdio: [...stdio] }))
  await once(neighbour, 'message')
  // outside the workspace, whose .env is for developers
  const child = killAtExit(spawn(process.execPath, [main], { cwd: tmpdir(), env, stdio: ['ignore', 'pipe', stderr] }))
  // a closed standard output must not end the service
  child.stdout?.destroy()
  closeSync(stderr)
  // removed here, because a recursive removal of a pipe breaks later imports through links in Node 20
  unlinkSync(path)
  const endNeighbour = async () => {
    const ended = once(neighbour, 'exit')
    neighbour.disconnect()
    await ended
  }
  return { child, log, exit: once(child, 'exit'), neighbour, endNeighbour }
}

/** Sends requests, and resolves when all are answered. */
const ask = async (url: string, times: number): Promise<void> => {
  const connection = await openConnection(url)
  for (let sent = 0; sent < times; sent++) {
    connection.send(requestHead('HEAD', '/api/snippets/config/'))
    await connection.response('HEAD')
  }
  connection.destroy()
}

describe('The service with its log on a pipe', () => {
  const newDirectory = directories()
  let service: Awaited<ReturnType<typeof serve>>
  const url = `http://127.0.0.1:${env.PORT}`
  beforeEach(async () => {
    service = await serve(await newDirectory())
    // a connection without a request is not logged
    const connect = () => openConnection(url).catch(() => undefined)
    let connection = await connect()
    for (; connection === undefined; connection = await connect()) await pause(5)
    connection.destroy()
  })
  afterEach(async () => {
    service.child.kill('SIGKILL')
    service.neighbour.kill('SIGKILL')
    await service.exit
  })

  it('serves, emits warnings and stops normally after the reader of the log has left', async () => {
    service.log.destroy()
    await ask(url, 50)
    service.child.kill('SIGUSR2')
    await ask(url, 50)
    service.child.kill('SIGTERM')
    expect(await service.exit).to.deep.equal([0, null])
  })

  it('writes its log to a new reader after the first one has left', async function () {
    if (process.platform !== 'linux') this.skip()
    service.log.destroy()
    await ask(url, 50)
    const fd = openSync(`/proc/${service.child.pid}/fd/2`, constants.O_RDONLY | constants.O_NONBLOCK)
    service.neighbour.kill('SIGKILL')
    const log = text(new Socket({ fd, writable: false }))
    await ask(url, 1)
    service.child.kill('SIGTERM')
    expect(logLinesOf(await log).map(({ msg }) => msg)).to.include('stopped')
    expect(await service.exit).to.deep.equal([0, null])
  })

  it('answers requests and counts dropped lines when nothing reads the log', async () => {
    // the log ends when all writers have ended
    service.neighbour.kill('SIGKILL')
    await ask(url, 200)
    service.child.kill('SIGTERM')
    // shorter than the time that the service waits for a reader
    await pause(100)
    const lines = logLinesOf(await text(service.log))
    const dropped = lines.flatMap(line => (line.msg === 'log lines were dropped' ? [Number(line.dropped)] : []))
    expect(dropped).to.have.length(1)
    expect(dropped[0]).to.be.greaterThan(0)
    const written = lines.filter(({ msg }) => ['request', 'stopping', 'stopped'].includes(msg))
    expect(written.length + (dropped[0] ?? 0)).to.equal(202)
    expect(await service.exit).to.deep.equal([0, null])
  })

  it('exits after an uncaught error when nothing reads the log', async () => {
    service.child.kill('SIGWINCH')
    expect(await service.exit).to.deep.equal([1, null])
  })

  for (const [cause, signal] of [
    ['stops', 'SIGTERM'],
    ['has an uncaught error', 'SIGWINCH'],
  ] as const)
    it(`kills itself when it ${cause} while a write hangs, because another process made the pipe blocking`, async () => {
      await ask(url, 200)
      await service.endNeighbour()
      service.child.kill(signal)
      expect(await service.exit).to.deep.equal([null, 'SIGKILL'])
    })
})
