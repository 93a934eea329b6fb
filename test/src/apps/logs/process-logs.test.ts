import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Environment } from '@snippets/apps/settings/environment.js'
import { expect } from 'chai'
import { type Client, httpClient } from '../../support/http/http-client.js'
import { type LogLine, logLinesOf } from '../../support/log-lines.js'
import { owned } from '../../support/owned-child.js'
import { startProcess } from '../../support/service/child-process.js'
import { root } from '../../support/workspace-root.js'

const main = join(root, 'apps/dist/main.js')

/** The client itself asks for the schema once. */
const isRequest = ({ msg, route }: LogLine): boolean => msg === 'request' && route !== '/api/schema/'

const requestsIn = (log: string): readonly LogLine[] => logLinesOf(log).filter(isRequest)

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

/** Not the workspace, whose .env is for people. */
const inFolder = { cwd: tmpdir(), env: { PATH: process.env.PATH, TERM: 'xterm', PORT: '0' } }

const hasScript = (): boolean => {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux')
  } catch {
    return false
  }
}

describe('On a terminal', () => {
  const itWithScript = hasScript() ? it : it.skip
  itWithScript('the log is readable and in colours', async () => {
    const command = ['-qec', `"${process.execPath}" "${main}"`, '/dev/null']
    const terminal = owned(spawn('script', command, { ...inFolder, stdio: 'pipe' }))
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
    expect(shown).to.match(/INFO.*request GET \/api\/snippets\/:id\/ 404 in [\d.]+ ms/)
    expect(shown).to.not.contain('"level"')
  })
})
