import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createAccessLog } from '@snippets/apps/logging/access-log.js'
import { readSettings } from '@snippets/apps/settings/settings.js'
import { expect } from 'chai'
import { eventually } from '../../support/eventually.js'
import { closedPort } from '../../support/free-port.js'
import { bodyOf } from '../../support/samples.js'
import { killAtExit } from '../../support/service/child-process.js'
import { composedServices } from '../../support/service/composed-service.js'
import { recordingLog } from '../../support/service/logs.js'
import { must } from '../../support/snippets.js'
import { root } from '../../support/workspace-root.js'

const json = { 'Content-Type': 'application/json' }
const content = JSON.stringify(bodyOf({ title: 'private title', code: 'private code', language: 'private language' }))

describe('The log', () => {
  const start = composedServices()

  it('has one line per request with its ids, route, status, problem and time', async () => {
    const { url, logged } = await start()
    const headers = { 'X-Request-Id': 'mine' }
    await (await fetch(`${url}/api/snippets/7/`, { headers })).text()
    await eventually(() => logged.length === 1)
    const [{ ms, bytes, ...line } = { ms: undefined, bytes: 0 }] = logged
    const request = { requestId: 'mine', token: undefined, method: 'GET', route: '/api/snippets/:id/', id: '7' }
    const problem = 'urn:snippets:not-found'
    const ending = { status: 404, problem, limit: undefined, clientLeft: false, reason: undefined, err: undefined }
    expect(line).to.deep.equal({ level: 'info', msg: 'request', ...request, ...ending })
    expect(ms).to.be.a('number').within(0.1, 10_000)
    // the problem and the response head
    expect(bytes).to.be.within(200, 600)
  })

  it('names the item of a request, in its path or created, also by a replay', async () => {
    const { url, logged } = await start({ USERS: 'ada' })
    const keyed = { ...json, 'Idempotency-Key': 'k' }
    for (const headers of [json, keyed, keyed])
      await fetch(`${url}/api/snippets-viewset/`, { method: 'POST', headers, body: content })
    await fetch(`${url}/api/snippets/`, { method: 'POST', headers: json, body: content })
    for (const path of ['snippets/2/', 'snippets-viewset/1/', 'snippets/1/raw/', 'users/1/', 'snippets/01/', 'users/'])
      await (await fetch(`${url}/api/${path}`)).text()
    await fetch(`${url}/api/snippets/9/`, { method: 'PUT', headers: json, body: '{}' })
    await eventually(() => logged.length === 11)
    const ids = ['1', '2', '2', '3', '2', '1', '1', '1', undefined, undefined, '9']
    expect(logged.map(({ id }) => id)).to.deep.equal(ids)
  })

  it('contains no text, query or body, nor do the metrics, which contain no id', async () => {
    const { url, adminUrl, logged } = await start({ ADMIN_PORT: '0' })
    const requests = ['/api/snippets/', '/api/snippets-viewset/'].flatMap((path): [string, string, string?][] => [
      ['POST', path, content],
      ['PUT', `${path}987654/`, '{"title":"private"}'],
      ['GET', `${path}private/`],
      ['GET', `${path}?title=private`],
      ['POST', path, '{"title":"private'],
      ['PROPFIND', `${path}987654/`],
    ])
    for (const [method, path, body] of requests)
      await (await fetch(url + path, { method, headers: json, ...(body !== undefined && { body }) })).text()
    await eventually(() => logged.length === requests.length)
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text()
    expect(metrics + JSON.stringify(logged)).to.not.match(/private/)
    expect(metrics).to.not.contain('987654')
  })

  for (const [logged, expected] of Object.entries({
    all: ['info 200', 'info 400', 'warn 503', 'error 200'],
    errors: ['info 400', 'warn 503', 'error 200'],
    off: ['warn 503', 'error 200'],
  }))
    it(`has the requests ${expected.join(', ')} when ACCESS_LOG=${logged}`, () => {
      const { log, lines } = recordingLog()
      const observe = createAccessLog(log, must(readSettings({ ACCESS_LOG: logged })).ACCESS_LOG)
      const request = { requestId: 'id', method: 'GET', route: '/', clientLeft: false, seconds: 1, bytes: 0 }
      const observation = { ...request, problem: undefined, limit: undefined, status: 200 }
      for (const status of [200, 400, 503]) observe({ ...observation, status })
      observe({ ...observation, err: new Error('planted') })
      expect(lines.map(({ level, status }) => `${level} ${status}`)).to.deep.equal(expected)
    })

  it('has a short line per failed request, and the whole cause once, when MongoDB is down', async () => {
    const MONGODB_URL = `mongodb://127.0.0.1:${await closedPort()}/`
    const { url, logged } = await start({ STORAGE: 'mongo', MONGODB_URL, ACCESS_LOG: 'off' })
    await Promise.all(['7', '8'].map(id => fetch(`${url}/api/snippets/${id}/`)))
    const failed = () => logged.filter(({ msg }) => msg === 'request')
    await eventually(() => failed().length === 2)
    for (const line of failed()) {
      expect(line).to.include({ level: 'warn', status: 503, problem: 'urn:snippets:unavailable', err: undefined })
      expect(line.reason).to.match(/^\w/)
    }
    expect(logged.filter(({ msg, err }) => msg === 'MongoDB fails' && err instanceof Error)).to.have.length(1)
  })
})

const ctrlC = '\u0003'
const hasCurl = spawnSync('curl', ['--version']).status === 0

const pasted = async (line: string) => JSON.parse((await promisify(execFile)('sh', ['-c', line])).stdout)

const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux')

describe('On a terminal', () => {
  const itWithScript = hasScript ? it : it.skip
  itWithScript('the log is readable and in colours, and the lines of the greeting work when pasted', async () => {
    const command = ['-qec', `"${process.execPath}" "${join(root, 'apps/dist/commands/main.js')}"`, '/dev/null']
    const inFolder = { cwd: tmpdir(), env: { PATH: process.env.PATH, TERM: 'xterm', PORT: '0' } }
    const terminal = killAtExit(spawn('script', command, { ...inFolder, stdio: 'pipe' }))
    let shown = ''
    terminal.stdout.setEncoding('utf8').on('data', chunk => {
      shown += chunk
    })
    await eventually(() => /^ {2}curl \S+\s*$/m.test(shown))
    if (hasCurl) {
      const [created = '', list = ''] = shown.match(/^ {2}curl .*/gm) ?? []
      expect(await pasted(created)).to.include({ id: 1, title: 'Hello', language: 'python' })
      expect((await pasted(list)).results).to.have.length(1)
    }
    await fetch(`${/listening on (\S+)/.exec(shown)?.[1]}/api/snippets/7/`)
    await eventually(() => /INFO.*request GET \/api\/snippets\/:id\/ 404 in [\d.]+ ms/.test(shown))
    terminal.stdin.write(ctrlC)
    await once(terminal, 'close')
    expect(shown).to.contain('\u001b[')
    expect(shown).to.not.contain('"level"')
  })
})
