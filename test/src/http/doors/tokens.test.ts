import { createApp } from '@snippets/adapters-http/app.js'
import { hashOf, newToken, type Scope, type Token } from '@snippets/adapters-http/doors/token.js'
import { type Listening, listen } from '@snippets/adapters-http/server/listen.js'
import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { useCases } from '@snippets/application/use-cases.js'
import { expect } from 'chai'
import { none } from 'fp-ts/lib/Option.js'
import { httpContract } from '../../contracts/http/http-contract.js'
import { httpClient } from '../../support/http/http-client.js'
import { redoclyProblems } from '../../support/http/redocly.js'
import { observer } from '../../support/http/wire.js'
import { sharedService } from '../../support/service/mocha-service.js'
import { silentLog } from '../../support/silent-log.js'

const reader = newToken()
const writer = newToken()
const tokenOf = (name: string, scope: Scope, token: string): Token => ({ name, scope, hash: hashOf(token) })
const tokens = [tokenOf('dashboard', 'read', reader), tokenOf('editor', 'write', writer)]

const body = JSON.stringify({ title: 't', code: 'c', language: 'l' })
const realm = 'Bearer realm="snippets"'
const invalid = `${realm}, error="invalid_token"`

const reads = ['GET', 'HEAD', 'OPTIONS']
const writes = ['POST', 'PUT', 'PATCH', 'DELETE']

describe('A service that asks for tokens', () => {
  const { observe, seen: observed, first } = observer()
  const service = sharedService({ tokens, observe })
  const ask = (method: string, authorization?: string, path = '/api/snippets-viewset/1/') =>
    fetch(service.url + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...(authorization !== undefined && { authorization }) },
      ...(['POST', 'PUT', 'PATCH'].includes(method) && { body }),
    })

  for (const [what, authorization, challenge] of [
    ['no token', undefined, realm],
    ['another scheme', `Basic ${writer}`, realm],
    ['a scheme without a token', 'Bearer', realm],
    ['an unknown token', `Bearer ${newToken()}`, invalid],
    ['a token with a letter more', `Bearer ${writer}x`, invalid],
    ['a token with a letter less', `Bearer ${writer.slice(0, -1)}`, invalid],
    ['the hash of a token', `Bearer ${Buffer.from(hashOf(writer)).toString('hex')}`, invalid],
    ['the name of a token', 'Bearer editor', invalid],
  ] as const)
    it(`answers 401 to ${what}, on every path and method`, async () => {
      for (const method of [...reads, ...writes])
        for (const path of ['/api/snippets-viewset/1/', '/api/schema/', '/nowhere/']) {
          const response = await ask(method, authorization, path)
          expect(response.status, `${method} ${path}`).to.equal(401)
          expect(response.headers.get('WWW-Authenticate')).to.equal(challenge)
          if (method === 'HEAD') continue
          expect(response.headers.get('Content-Type')).to.equal('application/problem+json')
          expect(await response.json()).to.include({ type: 'urn:snippets:unauthorized', status: 401 })
        }
    })

  for (const method of writes)
    it(`answers 403 to ${method} with a token of read scope, and writes nothing`, async () => {
      const response = await ask(method, `Bearer ${reader}`)
      expect(response.status).to.equal(403)
      expect(response.headers.get('WWW-Authenticate')).to.equal(`${realm}, error="insufficient_scope", scope="write"`)
      expect(await response.json()).to.include({ type: 'urn:snippets:forbidden', status: 403 })
      const list = await ask('GET', `Bearer ${reader}`, '/api/snippets/')
      expect(await list.json()).to.deep.equal({ snippets: [] })
    })

  for (const method of reads)
    it(`takes ${method} with a token of either scope`, async () => {
      for (const token of [reader, writer])
        expect((await ask(method, `bearer  ${token}`, '/api/snippets/')).status).to.be.within(200, 204)
    })

  it('says whose request it was, but not the token', async () => {
    observed.length = 0
    await ask('GET', `Bearer ${reader}`, '/api/snippets/')
    await ask('GET', 'Bearer wrong', '/api/snippets/')
    await first(2)
    expect(observed.map(({ token }) => token)).to.deep.equal(['dashboard', undefined])
    expect(JSON.stringify(observed)).to.not.contain(reader)
  })

  it('refuses a large upload at once, and the client gets the answer', async () => {
    const response = await fetch(`${service.url}/api/snippets/`, { method: 'POST', body: 'x'.repeat(5_000_000) })
    expect(response.status).to.equal(401)
  })
})

describe('With a token of write scope,', () => {
  let server: Listening
  before(async () => {
    const { snippets, users } = memoryStorage({ users: [] })
    const cases = useCases({ snippets, users, clock: { now: Date.now } })
    const listener = createApp({
      useCases: cases,
      log: silentLog,
      publicUrl: none,
      tokens: () => tokens,
      maxDelayMs: 60_000,
    }).callback()
    server = await listen(
      (req, res) => {
        req.headers.authorization = `Bearer ${writer}`
        return listener(req, res)
      },
      { host: '127.0.0.1', port: 0 },
    )
  })
  after(() => server.stop(0))
  const readDocument = async (): Promise<string> => {
    const client = httpClient(server.url)
    const { text } = await client.get('/api/schema/')
    client.close()
    return text
  }

  httpContract('a service that asks for tokens', { url: () => server.url })

  it('the OpenAPI document passes the strict rules of Redocly and says which scope each operation needs', async () => {
    const text = await readDocument()
    expect(await redoclyProblems(text)).to.deep.equal([])
    const { security, components, paths } = JSON.parse(text)
    expect(security).to.deep.equal([{ token: ['read'] }])
    expect(components.securitySchemes.token).to.include({ type: 'http', scheme: 'bearer' })
    const { get, delete: remove } = paths['/api/snippets/{id}/']
    expect([get.security, remove.security]).to.deep.equal([undefined, [{ token: ['write'] }]])
    expect([Object.keys(get.responses), Object.keys(remove.responses)]).to.satisfy(
      ([ofGet, ofDelete]: string[][]) =>
        ofGet?.includes('401') && !ofGet.includes('403') && ofDelete?.includes('401') && ofDelete.includes('403'),
    )
  })

  for (const method of [...reads, ...writes].filter(method => !['HEAD', 'OPTIONS'].includes(method)))
    it(`the OpenAPI document names the scope and the refusals of every ${method}`, async () => {
      const { paths } = JSON.parse(await readDocument())
      const operations = Object.values<Record<string, { security?: unknown; responses: object }>>(paths).flatMap(
        path => path[method.toLowerCase()] ?? [],
      )
      expect(operations).to.not.deep.equal([])
      for (const { security, responses } of operations) {
        expect(security).to.deep.equal(writes.includes(method) ? [{ token: ['write'] }] : undefined)
        expect(Object.keys(responses)).to.include('401')
        expect('403' in responses).to.equal(writes.includes(method))
      }
    })
})

describe('A service that asks for no token', () => {
  const service = sharedService()

  it('has nothing of tokens in its operations', async () => {
    const { components, paths } = JSON.parse((await service.client.get('/api/schema/')).text)
    expect(components).to.not.have.property('securitySchemes')
    expect(JSON.stringify(paths)).to.not.match(/Unauthorized|"security"/)
  })
})
