import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Environment } from '@snippets/apps/settings/settings.js'
import { version } from '@snippets/apps/version.js'
import { expect } from 'chai'
import { eventually } from '../support/eventually.js'
import { closedPort, listenOnFreePort } from '../support/free-port.js'
import {
  importing,
  killAtExit,
  type ServiceProcess,
  spawnService,
  startProcess,
} from '../support/service/child-process.js'
import { logLinesOf } from '../support/service/logs.js'
import { directories } from '../support/storage/data-directory.js'
import { root } from '../support/workspace-root.js'

const usersOf = async (url: string): Promise<readonly string[]> => {
  const { results } = JSON.parse(await (await fetch(`${url}/api/users/`)).text())
  return results.map(({ username }: { username: string }) => username)
}

const statusOf = async (page: string): Promise<number> => (await fetch(page)).status

describe('A process of the service', () => {
  let folder: string
  let service: ServiceProcess | undefined
  const serve = async (...start: Parameters<typeof startProcess>): Promise<ServiceProcess> => {
    service = await startProcess(...start)
    return service
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

  it('prefers its environment to .env, logs its addresses and warnings, and exits with 0 on SIGTERM', async () => {
    await writeFile(join(folder, '.env'), '\uFEFFUSERS="ann,bob"\nPORT=1\nCORS_ORIGINS=*\n')
    const environment = { ACCESS_LOG: 'off', ADMIN_PORT: '0' }
    const { url, adminUrl, kill, ended, logged } = await serve(environment, 'main.js', { folder })
    const storedIn = 'memory, and lost when the service stops: set DATA_DIR to keep them'
    expect(await usersOf(url)).to.deep.equal(['ann', 'bob'])
    expect(logged()[0]).to.include({ level: 30, version, storage: 'memory', storedIn, url, adminUrl, msg: 'listening' })
    kill('SIGTERM')
    const { code, stdout, stderr } = await ended
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: '' })
    expect(logLinesOf(stderr).map(({ msg }) => msg)).to.deep.equal([
      'listening',
      'every web page can read and write: CORS_ORIGINS is *, and API_TOKENS_FILE is not set',
      'stopping',
      'stopped',
    ])
  })

  it('does not open the debugger of Node.js on SIGUSR1', async () => {
    const { kill, ended } = await serve({})
    kill('SIGUSR1')
    kill('SIGTERM')
    const { code, stderr } = await ended
    expect({ code, isOpen: stderr.includes('Debugger listening') }).to.deep.equal({ code: 0, isOpen: false })
  })

  it('only logs a warning on SIGHUP when API_TOKENS_FILE is not set', async () => {
    const { url, kill, ended, logged } = await serve({})
    kill('SIGHUP')
    await eventually(() => logged().some(({ level, msg }) => level === 40 && msg.startsWith('nothing to reload')))
    expect(await statusOf(`${url}/api/users/`)).to.equal(200)
    kill('SIGTERM')
    expect(await ended).to.include({ code: 0, signal: null })
  })

  it('answers when its standard output is closed', async () => {
    const PORT = String(await closedPort())
    const child = killAtExit(
      spawn(process.execPath, [join(root, 'apps/dist/commands/main.js')], {
        ...{ cwd: folder, env: { PORT } },
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    )
    child.stdout.destroy()
    const exit = once(child, 'exit')
    const responses = () => statusOf(`http://127.0.0.1:${PORT}/api/users/`).catch(() => undefined)
    while ((await responses()) === undefined) await pause(5)
    child.kill('SIGTERM')
    expect(await exit).to.deep.equal([0, null])
  })

  it('reloads its tokens on SIGHUP, drains on SIGTERM, and exits at once on a second SIGTERM', async () => {
    const file = join(folder, 'tokens')
    const token = (name: string) => `${name} read sha256:${'0'.repeat(64)}\n`
    await writeFile(file, token('ada'))
    const { url, adminUrl, kill, ended, logged } = await serve({
      ADMIN_PORT: '0',
      API_TOKENS_FILE: file,
      DRAIN_DELAY_MS: '600000',
    })
    await writeFile(file, token('ada') + token('bob'))
    kill('SIGHUP')
    await eventually(() => logged().some(({ msg, tokens }) => msg === 'tokens reloaded' && tokens === 2))
    kill('SIGTERM')
    while ((await statusOf(`${adminUrl}/readyz`)) === 200) await pause(5)
    expect(await statusOf(`${url}/api/users/`)).to.equal(401)
    kill('SIGTERM')
    expect((await ended).code).to.equal(1)
  })

  it('counts two signals within a second as one under npm, and exits at once on a later one', async () => {
    const { url, kill, ended } = await serve({ npm_lifecycle_event: 'start', DRAIN_DELAY_MS: '600000' })
    kill('SIGINT')
    await pause(100)
    kill('SIGINT')
    await pause(1000)
    expect(await statusOf(`${url}/api/users/`)).to.equal(200)
    kill('SIGINT')
    expect((await ended).code).to.equal(1)
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

  it('exits with 0 on SIGTERM during its start', async () => {
    // the start waits for a database that never answers
    const silent = createServer()
    const port = await listenOnFreePort(silent)
    const environment = { PORT: '0', STORAGE: 'mongo', MONGODB_URL: `mongodb://127.0.0.1:${port}/` }
    const { kill, ended, logged } = spawnService(environment)
    await once(silent, 'connection')
    kill('SIGTERM')
    expect(await ended).to.include({ code: 0, stdout: '' })
    expect(logged().map(({ msg }) => msg)).to.include.members(['stopping', 'stopped'])
    silent.close()
  })

  it('exits with 0 after the grace period when SIGTERM arrives while DATA_DIR is being opened', async () => {
    const planted = `import { ClassicLevel } from ${JSON.stringify(import.meta.resolve('classic-level'))}
    ClassicLevel.prototype.open = () => {
      console.error('{"msg":"opening"}')
      setInterval(() => {}, 1000)
      return new Promise(() => {})
    }`
    const environment = { DATA_DIR: join(folder, 'data'), SHUTDOWN_GRACE_MS: '10', NODE_OPTIONS: importing(planted) }
    const { kill, ended, logged } = spawnService({ PORT: '0', ...environment })
    await eventually(() => logged().some(({ msg }) => msg === 'opening'))
    kill('SIGTERM')
    expect(await ended).to.include({ code: 0, stdout: '' })
    const abandoned = 'the start took longer than SHUTDOWN_GRACE_MS, and was abandoned'
    expect(logged().map(({ msg }) => msg)).to.include.members(['stopping', abandoned, 'stopped'])
  })

  it('started as the demo serves five snippets and two users, writes no file, and loads only the libraries in use', async () => {
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
    for (const library of ['mongodb', 'classic-level', 'prom-client', 'pino-pretty'])
      expect(loaded).to.not.contain(`node_modules/${library}/`)
  })

  it('exits with 78 and one line when .env cannot be read', async () => {
    await symlink('.env', join(folder, '.env'))
    const { code, stderr } = await spawnService({}, 'main.js', { folder }).ended
    expect(code).to.equal(78)
    expect(logLinesOf(stderr).map(({ msg }) => msg)).to.deep.equal([
      `${folder}/.env cannot be used:\n  it cannot be read (ELOOP)`,
    ])
  })

  const failedStarts: readonly (readonly [string, number, RegExp, Environment, string?, string?])[] = [
    [
      'HOST is not an address of this machine',
      1,
      /^listen EADDRNOTAVAIL: address not available 192\.0\.2\.1$/,
      { PORT: '0', HOST: '192.0.2.1' },
    ],
    ['settings are wrong', 78, /^The settings are wrong:\n {2}HOST .*\n {2}PORT .*$/, { HOST: '?', PORT: 'x' }],
    ['.env is malformed', 78, /^\/.*\.env cannot be used:\n {2}line 1 .*\n {2}line 2 .*$/, {}, 'A=1\nPORT: 0'],
    [
      'the token file does not exist',
      78,
      /^API_TOKENS_FILE .* none cannot be read \(ENOENT\)\.$/,
      { API_TOKENS_FILE: 'none' },
    ],
    ['it has an argument', 64, /^"\*\*\*@h" is not understood: .* PORT=8080 npm start\.$/, {}, '', 'u:s3cret@h'],
  ]
  for (const [cause, expected, message, environment, envFile = '', argument] of failedStarts)
    it(`exits with ${expected} and logs one line with the reason when ${cause}`, async () => {
      await writeFile(join(folder, '.env'), envFile)
      const args = argument === undefined ? [] : [argument]
      const { code, stdout, stderr } = await spawnService(environment, 'main.js', { folder, args }).ended
      expect({ code, stdout }).to.deep.equal({ code: expected, stdout: '' })
      const [line, ...others] = logLinesOf(stderr)
      expect(line).to.include({ level: 60, exitCode: expected })
      expect(line?.msg).to.match(message)
      expect(others).to.deep.equal([])
    })
})
