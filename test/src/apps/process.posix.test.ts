import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Environment } from '@snippets/apps/settings/setting-parsers.js'
import { storageNames } from '@snippets/apps/settings/storage-settings.js'
import { version } from '@snippets/apps/version.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import { expect } from 'chai'
import { everything } from '../contracts/storage/stream.js'
import { eventually } from '../support/eventually.js'
import { closedPort, isFree, listenOnFreePort } from '../support/free-port.js'
import { httpClient } from '../support/http/http-client.js'
import { bodyOf } from '../support/samples.js'
import { importing, type ServiceProcess, spawnService, startProcess } from '../support/service/child-process.js'
import { logLinesOf } from '../support/service/logs.js'
import { draft, must } from '../support/snippets.js'
import { directories, openDirectory } from '../support/storage/data-directory.js'
import { readFromRoot } from '../support/workspace-root.js'

const usersOf = async (url: string): Promise<readonly string[]> => {
  const { results } = JSON.parse(await (await fetch(`${url}/api/users/`)).text())
  return results.map(({ username }: { username: string }) => username)
}

/** Returns the dependencies of a package that no other package needs. */
const librariesOf = (name: string): readonly string[] => {
  const dependenciesOf = (folder: string) =>
    Object.keys(JSON.parse(readFromRoot(`${folder}/package.json`)).dependencies)
  const shared = dependenciesOf('domain')
  return dependenciesOf(name).filter(library => !library.startsWith('@snippets/') && !shared.includes(library))
}

const hasStrace = () => spawnSync('strace', ['true']).status === 0

/** Returns the command that runs a script with faults in system calls on these files. It runs beside the script. */
const injecting = (files: readonly string[], faults: string): readonly string[] => {
  const paths = files.flatMap(file => ['-P', file])
  return ['strace', '-D', '-f', '-qq', '-o', '/dev/null', ...paths, '-e', `inject=${faults}`]
}

const filesIn = (directory: string, names: readonly string[]) => names.map(name => join(directory, 'snippets', name))

const statusOf = async (page: string): Promise<number> => (await fetch(page)).status

describe('A process of the service', () => {
  let folder: string
  let service: Pick<ServiceProcess, 'kill' | 'ended'> | undefined
  const serve = async (...start: Parameters<typeof startProcess>): Promise<ServiceProcess> => {
    const started = await startProcess(...start)
    service = started
    return started
  }
  const newDirectory = directories()
  beforeEach(async () => {
    folder = await newDirectory()
  })
  afterEach(async () => {
    service?.kill('SIGKILL')
    await service?.ended
    service = undefined
  })

  it('reads .env and its environment, and logs its start, its warnings and its stop', async () => {
    await writeFile(join(folder, '.env'), '\uFEFFUSERS="ann,bob"\nPORT=1\nCORS_ORIGINS=*\n')
    const environment = { ACCESS_LOG: 'off', ADMIN_PORT: '0' }
    const { url, adminUrl, kill, ended, logged } = await serve(environment, 'main.js', { folder })
    const storedIn = 'memory, and lost when the service stops: set DATA_DIR to keep them'
    const settings = { storage: 'memory', storedIn, access: 'open', url, adminUrl }
    expect(logged()[0]).to.include({ level: 30, msg: 'listening', version, ...settings })
    // by default, Node.js would open its debugger, and print that
    kill('SIGUSR1')
    kill('SIGHUP')
    const warning = 'nothing to reload: API_TOKENS_FILE is not set'
    await eventually(() => logged().some(({ level, msg }) => level === 40 && msg === warning))
    expect(await usersOf(url)).to.deep.equal(['ann', 'bob'])
    kill('SIGTERM')
    const { code, stdout, stderr } = await ended
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: '' })
    expect(logLinesOf(stderr).map(({ msg }) => msg)).to.deep.equal([
      'listening',
      'every web page can read and write: CORS_ORIGINS is *, and API_TOKENS_FILE is not set',
      warning,
      'stopping',
      'stopped',
    ])
  })

  it('reloads its tokens on SIGHUP, and drains from SIGTERM until a later SIGTERM', async () => {
    const file = join(folder, 'tokens')
    const token = (name: string) => `${name} read sha256:${'0'.repeat(64)}\n`
    await writeFile(file, token('ada'))
    const environment = { ADMIN_PORT: '0', API_TOKENS_FILE: file, DRAIN_DELAY_MS: '600000' }
    const { url, adminUrl, kill, ended, logged } = await serve(environment)
    const readiness = async () => (await fetch(`${adminUrl}/readyz`)).text()
    await writeFile(file, token('ada') + token('bob'))
    kill('SIGHUP')
    await eventually(() => logged().some(({ msg, tokens }) => msg === 'tokens reloaded' && tokens === 2))
    kill('SIGTERM')
    await eventually(async () => (await readiness()).includes('The service is stopping.'))
    kill('SIGTERM')
    expect(await statusOf(`${url}/api/users/`)).to.equal(401)
    // the service ignores a second signal of the same Ctrl-C
    await pause(1000)
    expect(await statusOf(`${url}/api/users/`)).to.equal(401)
    kill('SIGTERM')
    const { code, stderr } = await ended
    expect(code).to.equal(1)
    expect(logLinesOf(stderr).at(-1)).to.include({ level: 40, msg: 'a second signal ends the process at once' })
  })

  it('warns when MAX_CONNECTIONS needs more open files than the system allows', async function () {
    if (!existsSync('/proc/self/limits')) this.skip()
    const warning =
      'MAX_CONNECTIONS needs 2124 open files, but 2123 are allowed: raise ulimit -n or lower MAX_CONNECTIONS'
    for (const [maxFiles, warnings] of [
      [2123, [warning]],
      [2124, []],
    ] as const) {
      const { kill, ended } = await serve({}, 'main.js', { maxFiles })
      kill('SIGTERM')
      const lines = logLinesOf((await ended).stderr)
      expect(lines.flatMap(({ level, msg }) => (level === 40 ? [msg] : []))).to.deep.equal(warnings)
    }
  })

  it('logs an uncaught error and exits with 1', async () => {
    const planted = `process.on('SIGUSR2', () => { Promise.reject(new Error('planted')) })`
    const { kill, ended } = await serve({ NODE_OPTIONS: importing(planted) })
    kill('SIGUSR2')
    const { code, stderr } = await ended
    expect(code).to.equal(1)
    const line = logLinesOf(stderr).at(-1)
    expect(line).to.include({ level: 60, msg: 'uncaught error, exiting' })
    expect(line?.err).to.include({ message: 'planted' })
  })

  const abandoned = 'the start took longer than SHUTDOWN_GRACE_MS, and was abandoned'
  for (const [what, opens, messages] of [
    ['after the start', true, ['stopping', 'stopped']],
    ['after the grace period of a start that does not end', false, ['stopping', abandoned, 'stopped']],
  ] as const)
    it(`exits with 0 ${what} when SIGTERM arrives while DATA_DIR is being opened`, async () => {
      const planted = `import { ClassicLevel } from ${JSON.stringify(import.meta.resolve('classic-level'))}
      const { open } = ClassicLevel.prototype
      const signal = new Promise(resolve => process.once('SIGTERM', resolve))
      setInterval(() => {}, 1000)
      ClassicLevel.prototype.open = async function (...args) {
        console.error('{"msg":"opening"}')
        await ${opens ? 'signal' : 'new Promise(() => {})'}
        return open.apply(this, args)
      }`
      const DATA_DIR = join(folder, 'data')
      const environment = { DATA_DIR, SHUTDOWN_GRACE_MS: opens ? '600000' : '10', NODE_OPTIONS: importing(planted) }
      const { kill, ended, logged } = spawnService({ PORT: '0', ...environment })
      await eventually(() => logged().some(({ msg }) => msg === 'opening'))
      kill('SIGTERM')
      expect(await ended).to.include({ code: 0, stdout: '' })
      const others = logged().filter(({ msg }) => msg !== 'opening' && !msg.startsWith('load'))
      expect(others.map(({ msg }) => msg)).to.deep.equal(messages)
    })

  for (const file of ['log', 'ldb'])
    it(`exits with 78, and names the file, while a .${file} of DATA_DIR cannot be read`, async function () {
      if (!hasStrace()) this.skip()
      const DATA_DIR = join(folder, 'data')
      const countIn = async (change: (storage: Storage) => Promise<unknown>): Promise<number> => {
        const storage = await openDirectory(DATA_DIR)
        await change(storage)
        const { length } = await everything(storage.snippets)
        await storage.close()
        return length
      }
      const create = async ({ snippets }: Storage) => must(await snippets.create(draft())())
      // the second start moves the log of the first into a table
      await countIn(create)
      expect(await countIn(create)).to.equal(2)
      const files = (await readdir(join(DATA_DIR, 'snippets'))).filter(name => name.endsWith(file))
      const under = injecting(filesIn(DATA_DIR, files), 'read,pread64:error=EIO')
      const { ended, kill } = spawnService({ PORT: '0', DATA_DIR }, 'main.js', { under })
      try {
        const { code, stderr } = await ended
        expect(logLinesOf(stderr).at(-1)?.msg).to.contain(`cannot be used (${files[0]}: EIO`)
        expect(code).to.equal(78)
      } finally {
        kill('SIGKILL')
      }
      expect(await countIn(async () => {})).to.equal(2)
    })

  describe('with a disk that hangs', () => {
    /** A script that lets calls of LevelDB wait in a thread of Node, for the writer of a pipe. Throws on SIGUSR2. */
    const hanging = (...calls: readonly string[]): string => {
      const pipe = join(folder, 'pipe')
      execFileSync('mkfifo', [pipe])
      return importing(`import { ClassicLevel } from ${JSON.stringify(import.meta.resolve('classic-level'))}
        import { open } from 'node:fs/promises'
        for (const call of ${JSON.stringify(calls)}) ClassicLevel.prototype[call] = () => open(${JSON.stringify(pipe)})
        process.on('SIGUSR2', () => { throw new Error('planted') })`)
    }

    for (const [what, signals, environment] of [
      ['it stops', ['SIGTERM'], { SHUTDOWN_GRACE_MS: '0' }],
      ['an error is uncaught', ['SIGUSR2'], {}],
      ['a second signal arrives', ['SIGTERM', 'SIGTERM'], { DRAIN_DELAY_MS: '600000' }],
    ] as const)
      it(`kills itself when ${what}`, async () => {
        const DATA_DIR = join(folder, 'data')
        await (await openDirectory(DATA_DIR)).close()
        const { url, kill, ended } = await serve({ DATA_DIR, NODE_OPTIONS: hanging('batch', 'close'), ...environment })
        const body = JSON.stringify(bodyOf())
        const headers = { 'Content-Type': 'application/json' }
        const response = await fetch(`${url}/api/snippets/`, { method: 'POST', headers, body })
        expect(await response.json()).to.include({ type: 'urn:snippets:outcome-unknown' })
        for (const signal of signals) {
          kill(signal)
          // the service ignores a second signal of the same Ctrl-C
          await pause(1500)
        }
        expect(await ended).to.include({ code: null, signal: 'SIGKILL' })
      })

    it('kills itself, and says why it does not start, when its port is taken', async () => {
      const occupant = createServer()
      const taken = { ADMIN_PORT: String(await listenOnFreePort(occupant)), SHUTDOWN_GRACE_MS: '0' }
      const data = { DATA_DIR: join(folder, 'data'), NODE_OPTIONS: hanging('open') }
      const spawned = spawnService({ PORT: '0', ...taken, ...data })
      service = spawned
      const { signal, stderr } = await spawned.ended
      occupant.close()
      expect(signal).to.equal('SIGKILL')
      expect(logLinesOf(stderr).at(-1)?.msg).to.contain('ADMIN_PORT or ADMIN_HOST cannot be used')
    })

    it('ends when its start is abandoned, even as the first process of a container', async function () {
      const firstProcess = ['unshare', '--pid', '--fork', '--kill-child']
      if (spawnSync('unshare', ['--pid', '--fork', '--kill-child', 'true']).status !== 0) this.skip()
      const stopping = importing('setTimeout(() => process.kill(process.pid, "SIGTERM"), 3000)')
      const NODE_OPTIONS = `${hanging('open')} ${stopping}`
      const environment = { PORT: '0', DATA_DIR: join(folder, 'data'), SHUTDOWN_GRACE_MS: '0', NODE_OPTIONS }
      service = spawnService(environment, 'main.js', { under: firstProcess })
      const { signal, stderr } = await service.ended
      expect(signal).to.equal('SIGSEGV')
      expect(stderr).to.contain(abandoned)
    })

    it('is ended by a second signal while the exit from an abandoned start hangs', async () => {
      const environment = { PORT: '0', DATA_DIR: join(folder, 'data'), SHUTDOWN_GRACE_MS: '0' }
      const spawned = spawnService({ ...environment, NODE_OPTIONS: hanging('open') })
      service = spawned
      const logs = (message: string) => eventually(() => spawned.logged().some(({ msg }) => msg === message))
      await logs('loading snippets from DATA_DIR')
      // the directory is being opened
      await pause(500)
      spawned.kill('SIGTERM')
      await logs('stopped')
      // the exit has begun
      await pause(500)
      spawned.kill('SIGTERM')
      expect(await spawned.ended).to.include({ code: null, signal: 'SIGTERM' })
    })
  })

  it('kills itself at a second signal while the lookup of a name hangs', async function () {
    if (!hasStrace()) this.skip()
    const environment = {
      STORAGE: 'mongo',
      MONGODB_URL: 'mongodb://unknown.invalid/snippets',
      DRAIN_DELAY_MS: '600000',
    }
    // a lookup begins with this file; strace lets even a killed process wait
    const under = injecting(['/etc/hosts'], 'openat:delay_enter=5000000')
    const { kill, ended } = await serve(environment, 'main.js', { under })
    for (let signals = 0; signals < 2; signals++) {
      kill('SIGTERM')
      // the service ignores a second signal of the same Ctrl-C
      await pause(1500)
    }
    expect(await ended).to.include({ code: null, signal: 'SIGKILL' })
  })

  it('started as the demo serves examples, and neither writes a file nor loads an unused library', async () => {
    // coverage lists the loaded modules
    const coverage = join(folder, 'coverage')
    const settings = { DATA_DIR: join(folder, 'data'), API_TOKENS_FILE: join(folder, 'tokens') }
    const environment = { ...settings, NODE_V8_COVERAGE: coverage }
    const { url, kill, ended } = await serve(environment, 'demo.js', { folder })
    const { snippets } = JSON.parse(await (await fetch(`${url}/api/snippets/`)).text())
    for (const field of ['title', 'language'])
      expect(new Set(snippets.map((snippet: Record<string, string>) => snippet[field])).size).to.equal(5)
    expect(await usersOf(url)).to.deep.equal(['ada', 'grace'])
    kill('SIGTERM')
    expect((await ended).code).to.equal(0)
    expect(await readdir(folder)).to.deep.equal(['coverage'])
    const files = await Promise.all((await readdir(coverage)).map(name => readFile(join(coverage, name), 'utf8')))
    const loaded = files.join()
    expect(loaded).to.contain('node_modules/koa/').and.to.contain('node_modules/pino/')
    const unused = ['prom-client', 'pino-pretty', ...storageNames.flatMap(name => librariesOf(`adapters-${name}`))]
    expect(unused).to.include.members(['mongodb', 'classic-level'])
    const loadedEarly = unused.filter(library => loaded.includes(`node_modules/${library}/`))
    expect(loadedEarly, 'import a library when it is needed').to.deep.equal([])
  })

  it('started as the demo creates its examples on a port that fetch blocks, and without the proxy of fetch', async function () {
    let port = 0
    for (const blocked of [6000, 6566, 6668, 6697, 10080]) if (await isFree(blocked)) port = blocked
    if (port === 0) this.skip()
    const proxy = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: `http://127.0.0.1:${await closedPort()}` }
    const { url } = await serve({ PORT: String(port), ...proxy }, 'demo.js', { folder })
    const client = httpClient(url)
    const { text } = await client.get('/api/snippets/')
    client.close()
    expect(JSON.parse(text).snippets).to.have.lengthOf(5)
  })

  it('creates all snippets of the demo, then stops with 0, when a signal arrives during the first one', async () => {
    const NODE_OPTIONS = importing(`import http from 'node:http'
      import { syncBuiltinESMExports } from 'node:module'
      const { request } = http
      http.request = (...args) => {
        http.request = request
        syncBuiltinESMExports()
        process.kill(process.pid, 'SIGTERM')
        return request(...args)
      }
      syncBuiltinESMExports()`)
    const { ended, logged } = spawnService({ PORT: '0', NODE_OPTIONS }, 'demo.js', { folder })
    expect((await ended).code).to.equal(0)
    const messages = logged().flatMap(({ msg }) => (msg === 'stopping' ? [] : [msg]))
    expect(messages).to.deep.equal([...Array(5).fill('request'), 'stopped'])
  })

  for (const [cause, expected, message, environment, ...args] of [
    ['HOST is not an address of this machine', 1, /^PORT or HOST .* 192\.0\.2\.1\. Set /, { HOST: '192.0.2.1' }],
    ['settings are wrong', 78, /^The settings are wrong:\n {2}HOST .*\n {2}PORT .*$/, { HOST: '?', PORT: 'x' }],
    ['it has an argument', 64, /^Arguments are not understood: .* PORT=8080 npm start\.$/, {}, 'u:s3cret@h'],
    ['.env cannot be read', 78, /^\/.*\.env cannot be used:\n {2}it cannot be read \(ELOOP\)$/, { LOOP: 'yes' }],
  ] as readonly (readonly [string, number, RegExp, Environment, ...string[]])[])
    it(`exits with ${expected} and logs one line with the reason when ${cause}`, async () => {
      if (environment.LOOP !== undefined) await symlink('.env', join(folder, '.env'))
      const { code, stdout, stderr } = await spawnService({ PORT: '0', ...environment }, 'main.js', { folder, args })
        .ended
      expect({ code, stdout }).to.deep.equal({ code: expected, stdout: '' })
      const [line, ...others] = logLinesOf(stderr)
      expect(line).to.include({ level: 60, exitCode: expected })
      expect(line?.msg).to.match(message)
      expect(others).to.deep.equal([])
    })
})
