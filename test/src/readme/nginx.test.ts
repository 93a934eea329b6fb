import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { problemType } from '@snippets/adapters-http/response/problems.js'
import { expect } from 'chai'
import { eventually } from '../support/eventually.js'
import { closedPort } from '../support/free-port.js'
import { killAtExit } from '../support/service/child-process.js'
import { sharedService } from '../support/service/mocha-service.js'
import { root } from '../support/workspace-root.js'

const site = readFileSync(join(root, 'docs/deploy/nginx.conf'), 'utf8')
const gzip = { 'Accept-Encoding': 'gzip' }
const json = { 'Content-Type': 'application/json' }
const body = JSON.stringify({ title: 'a title', code: 'x'.repeat(5000), language: 'none' })

/** Starts nginx as a child for all tests of a describe block. Its properties are available from the `before` hooks on. */
const nginxBefore = (serviceUrl: () => string) => {
  const proxy = { url: '', accessLog: '' }
  let child: ChildProcess
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'snippets-'))
    const [config, port] = [join(folder, 'nginx.conf'), await closedPort()]
    proxy.accessLog = join(folder, 'access.log')
    const siteHere = site
      .replace('127.0.0.1:8000', new URL(serviceUrl()).host)
      .replace('listen 80;', `listen 127.0.0.1:${port};`)
      .replace('/var/log/nginx/access.log', proxy.accessLog)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    await writeFile(
      config,
      `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {} http {
      ${temporary.map(name => `${name}_temp_path ${folder}/${name};`).join(' ')}
      ${siteHere}}`,
    )
    child = killAtExit(spawn('nginx', ['-p', folder, '-c', config], { stdio: 'ignore' }))
    proxy.url = `http://127.0.0.1:${port}`
    await eventually(() =>
      fetch(proxy.url).then(
        () => true,
        () => false,
      ),
    )
  })
  after(async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true })
  })
  return proxy
}

/** Expects one X-Request-Id, and the same in the access log. Sends a GET if the body is empty. */
const send = async ({ url, accessLog }: ReturnType<typeof nginxBefore>, path: string, length: number) => {
  const write = length > 0 && { method: 'POST', headers: json, body: 'x'.repeat(length) }
  const response = await fetch(url + path, { ...write })
  const id = response.headers.get('X-Request-Id')
  // fetch would join two headers by a comma
  expect(id).to.match(/^[\w-]{32,36}$/)
  // nginx logs a request after its body
  const logged = new RegExp(`^.* ${response.status} .* ${id}$`, 'm')
  await eventually(async () => logged.test(await readFile(accessLog, 'utf8')))
  return response
}

// without nginx on the machine, the tests are skipped
const withNginx = spawnSync('nginx', ['-v']).error === undefined ? describe : describe.skip

withNginx('The site of docs/deploy/nginx.conf', () => {
  const ids: string[] = []
  const service = sharedService({ observe: ({ requestId }) => ids.push(requestId) })
  const proxy = nginxBefore(() => service.url)

  it('compresses lists, and keeps ETags strong, so that If-Match works for a client that accepts gzip', async () => {
    const created = await fetch(`${proxy.url}/api/snippets/`, { method: 'POST', headers: json, body })
    const { pathname } = new URL(created.headers.get('Location') ?? '', proxy.url)
    for (const path of ['snippets', 'snippets-viewset']) {
      const list = await fetch(`${proxy.url}/api/${path}/`, { headers: gzip })
      expect(list.headers.get('Content-Encoding')).to.equal('gzip')
      expect(list.headers.get('Vary')).to.equal('Accept-Encoding')
      expect(await list.text()).to.contain('"title":"a title"')
    }
    const read = await fetch(proxy.url + pathname, { headers: gzip })
    const headers = { ...json, 'If-Match': read.headers.get('ETag') ?? '' }
    expect((await fetch(proxy.url + pathname, { method: 'PUT', headers, body })).status).to.equal(200)
  })

  for (const [what, path, length, status, name] of [
    ['a malformed body', '/api/snippets/', 2, 400, 'malformed-body'],
    ['a body above the limit of the service', '/api/snippets/', 280_000, 413, 'body-too-large'],
    ['a body above the limit of nginx', '/api/snippets/', 400_000, 413, 'body-too-large'],
    ['an unknown path', '/nothing', 2, 404, 'unknown-path'],
    ['a query above its limit', `/api/snippets/?${'x'.repeat(9000)}`, 0, 414, 'query-too-long'],
    ['a request line above its limit', `/api/snippets/?${'x'.repeat(17_000)}`, 2, 431, 'headers-too-large'],
  ] as const)
    it(`returns the problem of the service, and one X-Request-Id, which is in the access log, for ${what}`, async () => {
      const response = await send(proxy, path, length)
      expect(response.status).to.equal(status)
      expect(response.headers.get('Content-Type')).to.match(/^application\/problem\+json/)
      expect(await response.json()).to.include({ type: problemType(name), status })
    })

  it('returns one X-Request-Id for a path above the limit of nginx', async () => {
    expect((await send(proxy, `/${'x'.repeat(30_000)}`, 2)).status).to.equal(414)
  })

  it('passes on the X-Request-Id that the service logs', async () => {
    for (const path of ['/api/snippets/', `/api/snippets/?${'x'.repeat(17_000)}`]) {
      const id = (await fetch(proxy.url + path)).headers.get('X-Request-Id') ?? ''
      await eventually(() => ids.includes(id))
    }
  })
})

withNginx('The site of docs/deploy/nginx.conf, while the service is down,', () => {
  // nothing listens on this port; nginx could get a free port
  const proxy = nginxBefore(() => 'http://127.0.0.1:1')

  it('returns a problem with an X-Request-Id', async () => {
    const response = await send(proxy, '/api/snippets/', 2)
    expect(response.status).to.equal(502)
    expect(response.headers.get('Content-Type')).to.equal('application/problem+json')
    expect(await response.json()).to.include({ type: 'about:blank', status: 502 })
  })
})
