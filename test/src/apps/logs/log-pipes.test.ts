import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, unlinkSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
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

const main = join(root, 'apps/dist/commands/main.js')

/** Emits a warning on SIGUSR2, and throws an uncaught error with a long message on SIGWINCH. */
const planted = importing(`
  process.on('SIGUSR2', () => process.emitWarning('planted'))
  process.on('SIGWINCH', () => { throw new Error('planted'.repeat(50_000)) })`)
// other tests may delay the event loop
const env = { PATH: process.env.PATH, PORT: String(await closedPort()), NODE_OPTIONS: planted }

/** Starts the service outside the workspace, whose .env is for developers. */
const serve = (stderr: 'pipe' | number) => {
  const child = killAtExit(spawn(process.execPath, [main], { cwd: tmpdir(), env, stdio: ['ignore', 'pipe', stderr] }))
  // a closed standard output must not end the service
  child.stdout?.destroy()
  return child
}

/** A service, and its log, unread until the test reads it. */
type Spawned = Readonly<{ child: ChildProcess; log: Readable }>

/** Logs to a socket, as under a Node.js parent or systemd. */
const onSocket = (): Spawned => {
  const child = serve('pipe')
  if (child.stderr === null) throw new Error('there is no stderr')
  return { child, log: child.stderr }
}

/** Logs to a pipe, as under a shell or Docker. */
const onPipe = (folder: string): Spawned => {
  const path = join(folder, 'log')
  execFileSync('mkfifo', [path])
  // a pipe without a reader cannot be opened for writing
  const log = new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), writable: false })
  const stderr = openSync(path, 'w')
  const child = serve(stderr)
  closeSync(stderr)
  // removed here, because a recursive removal of a pipe breaks later imports through links in Node 20
  unlinkSync(path)
  return { child, log }
}

/** Sends requests with long log lines, and resolves when all are answered. */
const ask = async (url: string, times: number): Promise<void> => {
  const connection = await openConnection(url)
  const request = requestHead('HEAD', '/api/snippets/config/', `X-Request-Id: ${'x'.repeat(128)}`)
  for (let sent = 0; sent < times; sent += 10) {
    connection.send(request.repeat(10))
    for (let answered = 0; answered < 10; answered++) await connection.response('HEAD')
  }
  connection.destroy()
}

for (const [kind, spawnOn] of Object.entries({ socket: onSocket, pipe: onPipe }))
  describe(`The service with its log on a ${kind}`, () => {
    const newDirectory = directories()
    let service: Spawned
    const url = `http://127.0.0.1:${env.PORT}`
    let exit: Promise<unknown[]>
    beforeEach(async () => {
      service = spawnOn(await newDirectory())
      exit = once(service.child, 'exit')
      // a connection without a request is not logged
      const connect = () => openConnection(url).catch(() => undefined)
      let connection = await connect()
      for (; connection === undefined; connection = await connect()) await pause(5)
      connection.destroy()
    })
    afterEach(async () => {
      service.child.kill('SIGKILL')
      await exit
    })

    it('serves, emits warnings and stops normally after the reader of the log has left', async () => {
      service.log.destroy()
      await ask(url, 50)
      service.child.kill('SIGUSR2')
      await ask(url, 50)
      service.child.kill('SIGTERM')
      expect(await exit).to.deep.equal([0, null])
    })

    // thousands of requests on one kind are enough
    if (kind === 'pipe')
      it('answers requests and counts dropped lines when nothing reads the log', async () => {
        await ask(url, 4500)
        service.child.kill('SIGTERM')
        // shorter than the time that the service waits for a reader
        await pause(100)
        const lines = logLinesOf(await text(service.log))
        const dropped = lines.flatMap(line => (line.msg === 'log lines were dropped' ? [Number(line.dropped)] : []))
        expect(dropped).to.have.length(1)
        expect(dropped[0]).to.be.greaterThan(0)
        const written = lines.filter(({ msg }) => ['request', 'stopping', 'stopped'].includes(msg))
        expect(written.length + (dropped[0] ?? 0)).to.equal(4502)
        expect(await exit).to.deep.equal([0, null])
      })

    it('exits after an uncaught error when nothing reads the log', async () => {
      service.child.kill('SIGWINCH')
      expect(await exit).to.deep.equal([1, null])
    })
  })
