import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { problemType } from '@snippets/adapters-http/response/problems.js'
import { expect } from 'chai'
import { eventually } from '../support/eventually.js'
import { closedPort } from '../support/free-port.js'
import { killAtExit } from '../support/service/child-process.js'
import { composedServices } from '../support/service/composed-service.js'
import { directories } from '../support/storage/data-directory.js'
import { root } from '../support/workspace-root.js'

const site = readFileSync(join(root, 'docs/deploy/nginx.conf'), 'utf8')
const gzip = { 'Accept-Encoding': 'gzip' }
const json = { 'Content-Type': 'application/json' }
const body = JSON.stringify({ title: 'a title', code: 'x'.repeat(5000), language: 'none' })

const hasNginx = spawnSync('nginx', ['-v']).error === undefined

// without nginx on the machine, the tests are skipped
const withNginx = hasNginx ? describe : describe.skip

withNginx('The site of docs/deploy/nginx.conf', () => {
  const start = composedServices()
  const newDirectory = directories()
  let stop = async (): Promise<void> => {}
  let accessLog = ''
  afterEach(() => stop())

  /** Nothing listens on this port. A free port could become that of nginx. */
  const downUrl = 'http://127.0.0.1:1'

  /** Starts nginx as a child, in front of a service, and returns its address. */
  const proxy = async (serviceUrl: string): Promise<string> => {
    const [folder, port] = [await newDirectory(), await closedPort()]
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    const config = join(folder, 'nginx.conf')
    accessLog = join(folder, 'access.log')
    const siteHere = site
      .replace('127.0.0.1:8000', new URL(serviceUrl).host)
      .replace('listen 80;', `listen 127.0.0.1:${port};`)
      .replace('/var/log/nginx/access.log', accessLog)
    await writeFile(
      config,
      `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {} http {
      ${temporary.map(name => `${name}_temp_path ${folder}/${name};`).join(' ')}
      ${siteHere}}`,
    )
    const child = killAtExit(spawn('nginx', ['-p', folder, '-c', config], { stdio: 'ignore' }))
    const ended = once(child, 'exit')
    stop = async () => {
      child.kill('SIGTERM')
      await ended
    }
    const url = `http://127.0.0.1:${port}`
    while ((await fetch(url).catch(() => undefined)) === undefined) await pause(20)
    return url
  }

  it('keeps ETags strong, so that If-Match works for a client that accepts gzip', async () => {
    const url = await proxy((await start()).url)
    await fetch(`${url}/api/snippets/`, { method: 'POST', headers: json, body })
    const read = await fetch(`${url}/api/snippets/1/`, { headers: gzip })
    const ifMatch = { 'If-Match': read.headers.get('ETag') ?? '' }
    const written = await fetch(`${url}/api/snippets/1/`, { method: 'PUT', headers: { ...json, ...ifMatch }, body })
    expect(written.status).to.equal(200)
  })

  it('compresses lists', async () => {
    const url = await proxy((await start()).url)
    await fetch(`${url}/api/snippets/`, { method: 'POST', headers: json, body })
    for (const path of ['snippets', 'snippets-viewset']) {
      const list = await fetch(`${url}/api/${path}/`, { headers: gzip })
      expect(list.headers.get('Content-Encoding')).to.equal('gzip')
      expect(list.headers.get('Vary')).to.equal('Accept-Encoding')
      expect(await list.text()).to.contain('"title":"a title"')
    }
  })

  it('returns the problem of the service for a body above its limit', async () => {
    const url = await proxy((await start()).url)
    const problemFor = async (length: number) => {
      const response = await fetch(`${url}/api/snippets/`, { method: 'POST', headers: json, body: 'x'.repeat(length) })
      expect(response.headers.get('Content-Type')).to.match(/^application\/problem\+json/)
      return [response.status, await response.json()]
    }
    const [ofService, ofNginx] = [await problemFor(280_000), await problemFor(400_000)]
    expect(ofService).to.have.nested.property('1.type', problemType('body-too-large'))
    expect(ofNginx).to.deep.equal(ofService)
  })

  it('returns the problems of the service for unknown paths and long queries', async () => {
    const url = await proxy((await start()).url)
    for (const [path, name] of [
      ['/nothing', 'unknown-path'],
      [`/api/snippets/?${'x'.repeat(9000)}`, 'query-too-long'],
      [`/api/snippets/?${'x'.repeat(17_000)}`, 'headers-too-large'],
    ] as const)
      expect(await (await fetch(url + path)).json()).to.include({ type: problemType(name) })
  })

  it('returns a problem while the service is down', async () => {
    const url = await proxy(downUrl)
    const response = await fetch(`${url}/api/snippets/`)
    expect(response.status).to.equal(502)
    expect(response.headers.get('Content-Type')).to.equal('application/problem+json')
    expect(await response.json()).to.include({ type: 'about:blank', status: 502 })
  })

  for (const [title, down, path, length, status] of [
    ['the service', false, '/api/snippets/', 2, 400],
    ['the service for a request line above its limit', false, `/api/snippets/?${'x'.repeat(17_000)}`, 2, 431],
    ['nginx for a body above its limit', false, '/api/snippets/', 400_000, 413],
    ['nginx for a path above its limit', false, `/${'x'.repeat(30_000)}`, 2, 414],
    ['nginx while the service is down', true, '/api/snippets/', 2, 502],
  ] as const)
    it(`returns one X-Request-Id, which is in the access log, in a response of ${title}`, async () => {
      const url = await proxy(down ? downUrl : (await start()).url)
      const response = await fetch(url + path, { method: 'POST', headers: json, body: 'x'.repeat(length) })
      expect(response.status).to.equal(status)
      const id = response.headers.get('X-Request-Id')
      // fetch would join two headers by a comma
      expect(id).to.match(/^[\w-]{32,36}$/)
      // nginx logs a request after its body
      await eventually(async () => new RegExp(` ${status} .* ${id}\n$`).test(await readFile(accessLog, 'utf8')))
    })

  it('passes on the X-Request-Id that the service logs', async () => {
    const { url: serviceUrl, logged } = await start()
    const url = await proxy(serviceUrl)
    for (const path of ['/api/snippets/', `/api/snippets/?${'x'.repeat(17_000)}`]) {
      const id = (await fetch(url + path)).headers.get('X-Request-Id')
      await eventually(() => logged.some(({ requestId }) => requestId === id))
    }
  })
})
