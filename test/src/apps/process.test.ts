import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { eventually } from '../support/eventually.js'
import { listenOnFreePort } from '../support/free-port.js'
import { openConnection } from '../support/http/raw-http.js'
import { get } from '../support/http/wire.js'
import { logLinesOf } from '../support/log-lines.js'
import {
  type Ended,
  endOf,
  importing,
  type ServiceProcess,
  spawnScript,
  startProcess,
} from '../support/service/child-process.js'

const hasCurl = (): boolean => {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const pasted = async (line: string) => JSON.parse((await promisify(execFile)('sh', ['-c', line])).stdout)

/** Asks over one connection until the service closes it, which it says or, between two requests, just does. */
const keepAsking = async (url: string, onAnswer: () => void): Promise<void> => {
  const connection = await openConnection(url)
  for (let isKept = true; isKept; ) {
    connection.send(get('/api/snippets/'))
    const answer = await connection.attempt('GET')
    if (answer.complete) onAnswer()
    isKept = answer.complete && answer.answer.headers.connection !== 'close'
  }
}

const statusOf = async (page: string): Promise<number> => (await fetch(page)).status

describe('A process of the service', () => {
  let folder: string
  let service: ServiceProcess | undefined
  const serve = async (...start: Parameters<typeof startProcess>): Promise<ServiceProcess> => {
    service = await startProcess(...start)
    return service
  }
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'process-'))
  })
  afterEach(async () => {
    service?.kill('SIGKILL')
    await service?.ended
    service = undefined
    await rm(folder, { recursive: true })
  })

  it('reads .env below its environment, warns of what is unusual, and answers all that it received before it stops', async () => {
    await writeFile(join(folder, '.env'), '\uFEFF# comment\nUSERS="ann,bob"\nPORT=1\nCORS_ORIGINS=*\n')
    const { url, kill, ended, greeting } = await serve({}, 'main.js', { folder })
    const { results } = JSON.parse(await (await fetch(`${url}/api/users/`)).text())
    expect(results.map(({ username }: { username: string }) => username)).to.deep.equal(['ann', 'bob'])
    if (hasCurl()) {
      const [created, list] = greeting.match(/^ {2}curl .*/gm) ?? []
      expect(await pasted(created ?? '')).to.include({ id: 1, title: 'Hello', language: 'python' })
      expect((await pasted(list ?? '')).snippets).to.have.length(1)
    }
    let answers = 0
    const stopMidway = () => {
      answers++
      if (answers === 100) kill('SIGTERM')
    }
    await Promise.all(Array.from({ length: 8 }, () => keepAsking(url, stopMidway)))
    expect(answers).to.be.greaterThan(100)
    const { code, stderr } = await ended
    expect(code).to.equal(0)
    const lines = logLinesOf(stderr)
    const messages = lines.flatMap(({ msg }) => (msg === 'request' ? [] : [msg]))
    const warning = 'every web page can read and write: CORS_ORIGINS is *, and API_TOKENS_FILE is not set'
    expect(messages).to.deep.equal([warning, 'stopping', 'stopped'])
    const asked = lines.filter(({ method, status }) => method === 'GET' && status === 200)
    expect(asked).to.have.length(answers + (hasCurl() ? 2 : 1))
  })

  it('reads its tokens again on SIGHUP, drains on a signal, and quits at once on a second one', async () => {
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

  it('below npm takes two signals in quick succession for one, and quits at once on a later one', async () => {
    const { url, kill, ended } = await serve({ npm_lifecycle_event: 'start', DRAIN_DELAY_MS: '600000' })
    kill('SIGINT')
    await pause(100)
    kill('SIGINT')
    await pause(1000)
    expect(await statusOf(`${url}/api/users/`)).to.equal(200)
    kill('SIGINT')
    expect((await ended).code).to.equal(1)
  })

  it('logs an error that nobody caught, and exits with 1', async () => {
    const planted = `process.on('SIGUSR2', () => { Promise.reject(new Error('planted')) })`
    const { kill, ended } = await serve({ NODE_OPTIONS: importing(planted) })
    kill('SIGUSR2')
    const { code, stderr } = await ended
    expect(code).to.equal(1)
    const { level, err } = JSON.parse(stderr)
    expect({ level, message: err.message }).to.deep.equal({ level: 60, message: 'planted' })
  })

  it('stops while it starts: it greets nobody, and exits with 0', async () => {
    // the start waits a moment for its database, which never answers
    const silent = createServer()
    const port = await listenOnFreePort(silent)
    const child = spawnScript('main.js', { PORT: '0', STORAGE: 'mongo', MONGODB_URL: `mongodb://127.0.0.1:${port}/` })
    const printed = Promise.all([text(child.stdout), text(child.stderr)])
    await once(silent, 'connection')
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).to.deep.equal([0, null])
    const [stdout, stderr] = await printed
    expect(stdout).to.equal('')
    expect(stderr).to.contain('"stopping"').and.to.contain('"stopped"')
    silent.close()
  })

  it('of the demo serves five snippets and two users, keeps nothing, and loads nothing that it does not use', async () => {
    // Node lists with its coverage what was loaded
    const coverage = join(folder, 'coverage')
    const environment = { DATA_DIR: join(folder, 'data'), NODE_V8_COVERAGE: coverage }
    const { url, greeting, kill, ended } = await serve(environment, 'demo.js', { folder })
    expect(greeting).to.contain('lost when it stops')
    const { snippets } = JSON.parse(await (await fetch(`${url}/api/snippets/`)).text())
    for (const field of ['title', 'language'])
      expect(new Set(snippets.map((snippet: Record<string, string>) => snippet[field])).size).to.equal(5)
    const { results } = JSON.parse(await (await fetch(`${url}/api/users/`)).text())
    expect(results.map(({ username }: { username: string }) => username)).to.deep.equal(['ada', 'grace'])
    kill('SIGTERM')
    expect((await ended).code).to.equal(0)
    expect(await readdir(folder)).to.deep.equal(['coverage'])
    const files = await Promise.all((await readdir(coverage)).map(name => readFile(join(coverage, name), 'utf8')))
    const loaded = files.join()
    expect(loaded).to.contain('node_modules/koa/').and.to.contain('node_modules/pino/')
    for (const library of ['mongodb', 'classic-level', 'prom-client', 'pino-pretty'])
      expect(loaded).to.not.contain(`node_modules/${library}/`)
  })

  const endsWith = async (expected: Omit<Ended, 'signal' | 'stdout'>, ...start: Parameters<typeof endOf>) =>
    expect(await endOf(...start)).to.deep.equal({ ...expected, signal: null, stdout: '' })

  it('that is given an argument exits with 64 and a sentence without its password', () =>
    endsWith(
      {
        code: 64,
        stderr:
          '"mongodb://***@h/x" is not understood: settings are environment variables, as in PORT=8080 npm start.\n',
      },
      { PORT: '0' },
      { args: ['mongodb://u:s3cret@h/x'] },
    ))

  it('whose settings are wrong exits with 78 and lists every fault, also of .env', async () => {
    await writeFile(join(folder, '.env'), 'PORRT=0\n')
    const stderr =
      'The settings are wrong:\n  USERS names "a" twice; it must name each user once\n  PORRT is not a setting; did you mean PORT?\n'
    await endsWith({ code: 78, stderr }, { USERS: 'a,a' }, { folder })
  })

  it('exits with 78 and a sentence when a line of .env is not a setting, instead of losing one', async () => {
    await writeFile(join(folder, '.env'), 'HOST=127.0.0.1\nPORT: 0\n')
    const stderr = `${join(folder, '.env')} cannot be used: line 2 is not NAME=value.\n`
    await endsWith({ code: 78, stderr }, {}, { folder })
  })

  it('exits with 78 and a sentence when a file that a setting names cannot be used', () =>
    endsWith(
      { code: 78, stderr: `API_TOKENS_FILE cannot be used: ${folder}/none does not exist.\n` },
      { PORT: '0', API_TOKENS_FILE: `${folder}/none` },
    ))

  it('exits with 1 and a sentence when its port is in use', async () => {
    const server = createServer()
    const port = await listenOnFreePort(server)
    const why = 'it is already in use. Set PORT to another port, or to 0 for any free one'
    await endsWith({ code: 1, stderr: `Cannot listen on port ${port} of 127.0.0.1: ${why}.\n` }, { PORT: `${port}` })
    server.close()
  })
})
