import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { Environment } from '@snippets/apps/settings.js'
import { expect } from 'chai'
import { type Client, httpClient } from '../../support/http/http-client.js'
import { startProcess } from '../../support/service/child-process.js'
import { root } from '../../support/workspace-root.js'

type Line = Readonly<Record<string, unknown>>

const main = join(root, 'apps/dist/main.js')

const linesOf = (log: string): readonly Line[] =>
  log
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))

/** The client itself asks for the schema once. */
const isRequest = ({ msg, route }: Line): boolean => msg === 'request' && route !== '/api/schema/'

const requestsIn = (log: string): readonly Line[] => (log === '' ? [] : linesOf(log).filter(isRequest))

/** All that a run of the service logs, from its start to its end. */
const logOf = async (environment: Environment, use: (client: Client, url: string) => Promise<unknown>) => {
  const { url, kill, ended } = await startProcess(environment)
  const client = httpClient(url)
  try {
    await use(client, url)
  } finally {
    client.close()
    kill('SIGTERM')
  }
  return (await ended).stderr
}

const content = { title: 'private title', code: 'private code', language: 'private language' }

describe('The log', () => {
  it('has a line for each request, with what an operator asks about', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const log = await logOf({}, client =>
      client.ask({
        method: 'GET',
        target: '/api/snippets/7/',
        headers: { 'X-Request-Id': 'mine', traceparent: `00-${traceId}-b7ad6b7169203331-01` },
      }),
    )
    const [line] = requestsIn(log)
    expect(line).to.include({ requestId: 'mine', traceId, method: 'GET', route: '/api/snippets/:id/', status: 404 })
    expect(line).to.include({ level: 30, clientLeft: false })
    expect(line?.ms).to.be.a('number').greaterThan(0)
    // the problem and a head
    expect(line?.bytes).to.be.within(200, 600)
  })

  it('names a request whose client reset the connection before the answer, without a status', async () => {
    const log = await logOf({}, async (client, url) => {
      const headers = { 'Content-Type': 'application/json', 'Content-Length': 100 }
      const sent = request(`${url}/api/snippets/`, { method: 'POST', headers })
      sent.on('error', () => {}).write('{')
      await client.get('/api/snippets/')
      sent.socket?.resetAndDestroy()
      await client.get('/api/snippets/')
      await pause(100)
    })
    const posted = requestsIn(log).find(({ method }) => method === 'POST')
    expect(posted).to.include({ clientLeft: true, bytes: 0, route: '/api/snippets/' })
    expect(posted).to.not.have.property('status')
  })

  it('holds no id, no text, no query and no body', async () => {
    const log = await logOf({ LOG_LEVEL: 'trace' }, async client => {
      for (const path of ['/api/snippets/', '/api/snippets-viewset/']) {
        await client.post(path, content)
        await client.put(`${path}1/`, content)
        await client.put(`${path}987654/`, { title: 'private' })
        await client.get(`${path}987654/`)
        await client.get(`${path}private/`)
        await client.get(`${path}?title=private`)
        await client.ask({ method: 'POST', target: path, body: '{"title":"private', headers: {} })
        await client.ask({ method: 'PROPFIND', target: `${path}987654/` })
      }
    })
    expect(requestsIn(log)).to.have.length(16)
    expect(log).to.not.match(/private|987654/)
  })

  for (const [mode, environment, expected] of [
    ['all', {}, 150],
    // the first, which is the client's own, and the 101st
    ['sampled', { ACCESS_LOG: 'sampled' }, 1],
    ['off', { ACCESS_LOG: 'off' }, 0],
    ['all but LOG_LEVEL=warn', { LOG_LEVEL: 'warn' }, 0],
  ] as const)
    it(`has ${expected} of 150 requests with ACCESS_LOG ${mode}`, async () => {
      const log = await logOf(environment, async client => {
        for (let i = 0; i < 150; i++) await client.get('/api/users/')
      })
      expect(requestsIn(log)).to.have.length(expected)
    })
})

type Spawned = ChildProcessByStdio<null, Readable, Readable>

/** A service whose log the test reads by itself, or not at all. */
const spawnService = async (plant = ''): Promise<Readonly<{ child: Spawned; url: string }>> => {
  const args = [...(plant ? ['--import', `data:text/javascript,${encodeURIComponent(plant)}`] : []), main]
  const env = { PATH: process.env.PATH, PORT: '0' }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [greeting] = await once(child.stdout, 'data')
  const [, url = ''] = /listening on (\S+)/.exec(String(greeting)) ?? []
  return { child, url }
}

const restOf = async (stream: Readable): Promise<string> => {
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) text += chunk
  return text
}

describe('A log pipe', () => {
  let child: Spawned
  afterEach(() => child.kill('SIGKILL'))
  const spawned = async (plant?: string): Promise<string> => {
    const service = await spawnService(plant)
    child = service.child
    return service.url
  }

  /** Resolves when all are answered. */
  const askOften = async (url: string, times: number): Promise<void> => {
    const client = httpClient(url)
    for (let i = 0; i < times; i += 50)
      await Promise.all(Array.from({ length: 50 }, () => client.get('/api/snippets/config/')))
    client.close()
  }

  it('that is broken does not stop the service', async () => {
    const url = await spawned()
    child.stderr.destroy()
    await askOften(url, 200)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).to.deep.equal([0, null])
  })

  it('that nobody reads does not hold up requests, and what it lacks is counted', async () => {
    const url = await spawned()
    await askOften(url, 7000)
    const rest = restOf(child.stderr)
    await pause(300)
    await askOften(url, 50)
    child.kill('SIGTERM')
    const lines = linesOf(await rest)
    const dropped = lines.flatMap(line => (line.msg === 'log lines were dropped' ? [Number(line.dropped)] : []))
    expect(dropped).to.have.length(1)
    // the schema of each client too
    expect(lines.filter(({ msg }) => msg === 'request').length + (dropped[0] ?? 0)).to.equal(7052)
    expect(dropped[0]).to.be.greaterThan(0)
  })

  it('that nobody has read so far still gets the cause of the end', async () => {
    const url = await spawned(`process.on('SIGUSR2', () => { throw new Error('planted') })`)
    await askOften(url, 7000)
    child.kill('SIGUSR2')
    // while the service waits for its reader, but not for ever
    await pause(100)
    const lines = linesOf(await restOf(child.stderr))
    expect(lines.find(({ level }) => level === 60)).to.include({ msg: 'uncaught' })
  })

  it('that nobody ever reads does not keep the service from stopping', async () => {
    const url = await spawned()
    await askOften(url, 7000)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).to.deep.equal([0, null])
  })
})

const hasScript = (): boolean => {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux')
  } catch {
    return false
  }
}

/** Prints whether pino-pretty was loaded, and stops. */
const tellPretty = `
import { Module } from 'node:module'
process.on('SIGUSR2', () => {
  const files = Object.keys(Module._cache)
  process.stdout.write('loaded: ' + files.some(file => file.includes('pino-pretty')) + ' of ' + files.length + '\\n')
})`

describe('On a terminal', () => {
  const itWithScript = hasScript() ? it : it.skip
  itWithScript('the log is readable and in colours', async () => {
    const env = { PATH: process.env.PATH, PORT: '0' }
    const terminal = spawn('script', ['-qec', `"${process.execPath}" "${main}"`, '/dev/null'], { env, stdio: 'pipe' })
    let shown = ''
    terminal.stdout.setEncoding('utf8').on('data', chunk => {
      shown += chunk
    })
    while (!/^ {2}curl \S+\s*$/m.test(shown)) await once(terminal.stdout, 'data')
    await fetch(`${/listening on (\S+)/.exec(shown)?.[1]}/api/snippets/7/`)
    // Ctrl-C
    terminal.stdin.write('\u0003')
    await once(terminal, 'close')
    expect(shown).to.contain('\u001b[')
    expect(shown).to.match(/INFO.*GET \/api\/snippets\/:id\/ 404 in [\d.]+ ms/)
    expect(shown).to.not.contain('"level"')
  })

  it('and only there pino-pretty is loaded', async () => {
    const { child } = await spawnService(tellPretty)
    child.kill('SIGUSR2')
    const [told] = await once(child.stdout, 'data')
    child.kill('SIGKILL')
    expect(String(told)).to.match(/^loaded: false of [1-9]/)
  })
})
