import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, createReadStream, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { httpClient } from '../../support/http/http-client.js'
import { logLinesOf } from '../../support/log-lines.js'
import { owned } from '../../support/owned-child.js'
import { root } from '../../support/workspace-root.js'

type Log = Readonly<{
  /** What waits in it, and all that follows until the service ends. */
  rest: () => Promise<string>
  breakUp: () => void
}>

/** A service whose log the test reads by itself, or not at all. */
type Spawned = Readonly<{ child: ChildProcess; log: Log; remove: () => void }>

const main = join(root, 'apps/dist/main.js')
/** Not the workspace, whose .env is for people. */
const cwd = tmpdir()
const env = { PATH: process.env.PATH, PORT: '0' }

/** As below a parent process in Node, and below systemd. */
const onSocket = (args: readonly string[]): Spawned => {
  const child = owned(spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }))
  const log = { rest: () => text(child.stderr), breakUp: () => void child.stderr.destroy() }
  return { child, log, remove: () => {} }
}

/** As below a shell, and below Docker. */
const onPipe = (args: readonly string[]): Spawned => {
  const folder = mkdtempSync(join(tmpdir(), 'log-'))
  const path = join(folder, 'log')
  execFileSync('mkfifo', [path])
  // without a reader nobody can open it to write
  const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  const command = `exec "$@" 2>"${path}"`
  const sh = ['-c', command, 'sh', process.execPath, ...args]
  const child = owned(spawn('sh', sh, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] }))
  let isOpen = true
  const breakUp = (): void => {
    if (isOpen) closeSync(reader)
    isOpen = false
  }
  const rest = (): Promise<string> => text(createReadStream(path).once('open', breakUp))
  const remove = (): void => {
    breakUp()
    rmSync(folder, { recursive: true })
  }
  return { child, log: { rest, breakUp }, remove }
}

/** Resolves when all are answered. */
const askOften = async (url: string, times: number): Promise<void> => {
  const client = httpClient(url)
  for (let i = 0; i < times; i += 50)
    await Promise.all(Array.from({ length: 50 }, () => client.get('/api/snippets/config/')))
  client.close()
}

for (const [kind, spawnOn] of Object.entries({ socket: onSocket, pipe: onPipe }))
  describe(`A log on a ${kind}`, () => {
    let child: ChildProcess
    let log: Log
    let cleanUp = async (): Promise<void> => {}
    afterEach(() => cleanUp())
    const spawned = async (plant = ''): Promise<string> => {
      const planted = plant ? ['--import', `data:text/javascript,${encodeURIComponent(plant)}`] : []
      const service = spawnOn([...planted, main])
      child = service.child
      log = service.log
      const exited = once(child, 'exit')
      cleanUp = async () => {
        service.child.kill('SIGKILL')
        await exited
        service.remove()
      }
      if (child.stdout === null) throw new Error('there is no stdout')
      const [greeting] = await once(child.stdout, 'data')
      return /listening on (\S+)/.exec(String(greeting))?.[1] ?? ''
    }

    it('that is broken does not stop the service, also when Node prints a warning', async () => {
      const url = await spawned(`process.on('SIGUSR2', () => process.emitWarning('planted'))`)
      log.breakUp()
      await askOften(url, 200)
      child.kill('SIGUSR2')
      await askOften(url, 200)
      child.kill('SIGTERM')
      expect(await once(child, 'exit')).to.deep.equal([0, null])
    })

    it('that nobody reads does not hold up requests, and what it lacks is counted', async () => {
      const url = await spawned()
      await askOften(url, 7000)
      const rest = log.rest()
      await pause(300)
      await askOften(url, 50)
      child.kill('SIGTERM')
      const lines = logLinesOf(await rest)
      const dropped = lines.flatMap(line => (line.msg === 'log lines were dropped' ? [Number(line.dropped)] : []))
      expect(dropped).to.have.length(1)
      // the schema of each client too
      expect(lines.filter(({ msg }) => msg === 'request').length + (dropped[0] ?? 0)).to.equal(7052)
      expect(dropped[0]).to.be.greaterThan(0)
    })

    it('that nobody has read so far still gets the cause of the end', async () => {
      const url = await spawned(`process.on('SIGUSR2', () => { throw new Error('planted') })`)
      await askOften(url, 2000)
      child.kill('SIGUSR2')
      // while the service waits for its reader, but not for ever
      await pause(100)
      const lines = logLinesOf(await log.rest())
      expect(lines.find(({ level }) => level === 60)).to.include({ msg: 'uncaught' })
    })

    for (const [signal, code] of [
      ['SIGTERM', 0],
      ['SIGUSR2', 1],
    ] as const)
      it(`that nobody ever reads does not keep the service from ending with ${code}`, async () => {
        const url = await spawned(`process.on('SIGUSR2', () => { throw new Error('planted') })`)
        await askOften(url, 7000)
        child.kill(signal)
        expect(await once(child, 'exit')).to.deep.equal([code, null])
      })

    it('that is broken does not keep the service from ending with the first line', async () => {
      await spawned(`process.on('SIGUSR2', () => { throw new Error('planted') })`)
      log.breakUp()
      child.kill('SIGUSR2')
      expect(await once(child, 'exit')).to.deep.equal([1, null])
    })
  })
