import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../support/eventually.js'
import { closedPort } from '../support/free-port.js'
import { killAtExit } from '../support/service/child-process.js'
import { sharedService } from '../support/service/mocha-service.js'
import { directories } from '../support/storage/data-directory.js'
import { readFromRoot } from '../support/workspace-root.js'

const file = readFromRoot('docs/deploy/nginx.conf')
const gzip = { 'Accept-Encoding': 'gzip' }
const json = { 'Content-Type': 'application/json' }
const body = JSON.stringify({ title: 'a title', code: 'x'.repeat(5000), language: 'none' })

/** A request without a body is a GET. `by` is the program whose X-Request-Id the response has. */
const problems = [
  { path: '/api/snippets/', length: 280_000, status: 413, problem: 'body-too-large', by: 'service' },
  { path: '/api/snippets/', length: 400_000, status: 413, problem: 'body-too-large', by: 'nginx' },
  { path: '/nothing', length: 2, status: 404, problem: 'unknown-path', by: 'service' },
  { path: `/api/snippets/?${'x'.repeat(9000)}`, length: 0, status: 414, problem: 'query-too-long', by: 'service' },
  { path: `/api/snippets/?${'x'.repeat(17_000)}`, length: 2, status: 431, problem: 'headers-too-large', by: 'service' },
  { path: `/${'x'.repeat(30_000)}`, length: 2, status: 414, problem: undefined, by: 'nginx' },
] as const

// without nginx on the machine, the tests are skipped
const withNginx = spawnSync('nginx', ['-v']).error === undefined ? describe : describe.skip

withNginx('The site of docs/deploy/nginx.conf', () => {
  const newDirectory = directories()
  const ids: string[] = []
  const service = sharedService({ observe: ({ requestId }) => ids.push(requestId) })
  let nginx: ChildProcess
  afterEach(async () => {
    const ended = once(nginx, 'exit')
    nginx.kill('SIGTERM')
    await ended
  })

  const start = async (serviceUrl: string, { workers = 1, site = file } = {}) => {
    const [folder, port] = [await newDirectory(), await closedPort()]
    const [config, accessLog] = [join(folder, 'nginx.conf'), join(folder, 'access.log')]
    const siteHere = site
      .replace('127.0.0.1:8000', new URL(serviceUrl).host)
      // the kernel spreads the connections over the workers
      .replace(/^ +listen 80;/m, `listen 127.0.0.1:${port} reuseport;`)
      .replace('/var/log/nginx/access.log', accessLog)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    await writeFile(
      config,
      `daemon off; master_process ${workers > 1 ? 'on' : 'off'}; worker_processes ${workers}; pid ${folder}/pid; error_log stderr; events {} http {
      ${temporary.map(name => `${name}_temp_path ${folder}/${name};`).join(' ')}
      ${siteHere}}`,
    )
    nginx = killAtExit(spawn('nginx', ['-p', folder, '-c', config], { stdio: 'ignore' }))
    const url = `http://127.0.0.1:${port}`
    await eventually(() => fetch(url).then(Boolean, () => false))
    return { url, log: () => readFile(accessLog, 'utf8') }
  }

  it('compresses lists, and keeps ETags strong, so that If-Match works for a client that accepts gzip', async () => {
    const { url } = await start(service.url)
    const created = await fetch(`${url}/api/snippets/`, { method: 'POST', headers: json, body })
    const { pathname } = new URL(created.headers.get('Location') ?? '', url)
    for (const path of ['snippets', 'snippets-viewset']) {
      const list = await fetch(`${url}/api/${path}/`, { headers: gzip })
      expect(list.headers.get('Content-Encoding')).to.equal('gzip')
      expect(list.headers.get('Vary')).to.equal('Accept-Encoding')
      expect(await list.text()).to.contain('"title":"a title"')
    }
    const read = await fetch(url + pathname, { headers: gzip })
    const headers = { ...json, 'If-Match': read.headers.get('ETag') ?? '' }
    expect((await fetch(url + pathname, { method: 'PUT', headers, body })).status).to.equal(200)
  })

  it('returns problems with one X-Request-Id, which is in the access log and in the log of the service', async () => {
    const { url, log } = await start(service.url)
    for (const { path, length, status, problem, by } of problems) {
      const write = length > 0 && { method: 'POST', headers: json, body: 'x'.repeat(length) }
      const response = await fetch(url + path, { ...write })
      expect(response.status).to.equal(status)
      if (problem !== undefined) {
        expect(response.headers.get('Content-Type')).to.match(/^application\/problem\+json/)
        expect(await response.json()).to.include({ type: `urn:snippets:${problem}`, status })
      }
      const id = response.headers.get('X-Request-Id') ?? ''
      // fetch would join two headers by a comma
      expect(id).to.match(/^[\w-]{32,36}$/)
      await eventually(async () => new RegExp(`^.* ${status} .* ${id}$`, 'm').test(await log()))
      if (by === 'service') await eventually(() => ids.includes(id))
    }
  })

  it('returns a problem while the service is down', async () => {
    // nothing listens on this port; nginx could get a free port
    const { url } = await start('http://127.0.0.1:1')
    const response = await fetch(`${url}/api/snippets/`)
    expect([response.status, response.headers.get('Content-Type')]).to.deep.equal([502, 'application/problem+json'])
    expect(await response.json()).to.include({ type: 'about:blank', status: 502 })
  })

  it('answers 502 once, with any number of workers, while one of two processes is down', async () => {
    const site = file.replace('server 127.0.0.1:8000;', `server 127.0.0.1:${await closedPort()}; $&`)
    const { url, log } = await start(service.url, { workers: 4, site })
    // fetch would reuse a connection, and with it a worker
    for (let i = 0; i < 40; i++) await (await fetch(url, { headers: { Connection: 'close' } })).text()
    const linesWith = async (pattern: RegExp) => (await log()).match(pattern)?.length ?? 0
    await eventually(async () => (await linesWith(/ (?:404|502) /g)) > 40)
    expect(await linesWith(/ 502 /g)).to.equal(1)
  })

  it('returns a problem above the rate limit, once its lines are uncommented', async () => {
    const site = file
      .replace(/# (?=limit_req)/g, '')
      .replace('50r/s', '1r/m')
      .replace('burst=100', 'burst=1')
    const { url } = await start(service.url, { site })
    const ask = () => fetch(`${url}/api/users/`)
    expect((await ask()).status).to.equal(200)
    const limited = await ask()
    expect([limited.status, limited.headers.get('Content-Type')]).to.deep.equal([429, 'application/problem+json'])
    expect([limited.headers.get('Retry-After'), limited.headers.get('X-Request-Id')?.length]).to.deep.equal(['1', 32])
    expect(await limited.json()).to.include({ type: 'about:blank', status: 429 })
  })
})
