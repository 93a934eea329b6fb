import { hashToken, type Token } from '@snippets/adapters-http/middleware/tokens.js'
import { expect } from 'chai'
import { observer, snippetText } from '../../support/http/wire.js'
import { sharedService } from '../../support/service/mocha-service.js'

const [reader, writer] = ['snippets_of-the-reader', 'snippets_of-the-writer']
const tokens: readonly Token[] = [
  { name: 'dashboard', scope: 'read', hash: hashToken(reader) },
  { name: 'editor', scope: 'write', hash: hashToken(writer) },
]

const challenge = 'Bearer realm="snippets"'
const writes = ['POST', 'PUT', 'PATCH', 'DELETE']

describe('A service that requires tokens', () => {
  const { observe, seen: observed, first } = observer()
  const service = sharedService({ tokens, observe })
  const ask = (method: string, authorization?: string, path = '/api/snippets-viewset/1/') =>
    fetch(service.url + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...(authorization !== undefined && { authorization }) },
      ...(['POST', 'PUT', 'PATCH'].includes(method) && { body: snippetText }),
    })

  for (const [what, authorization, isToken] of [
    ['no token', undefined, false],
    ['another scheme', `Basic ${writer}`, false],
    ['a scheme without a token', 'Bearer', false],
    ['a token behind another word', `x Bearer ${writer}`, false],
    ['a token before another word', `Bearer ${writer} x`, false],
    ['an unknown token', 'Bearer snippets_of-nobody', true],
    ['a token with a letter more', `Bearer ${writer}x`, true],
    ['the hash of a token', `Bearer ${Buffer.from(hashToken(writer)).toString('hex')}`, true],
  ] as const)
    it(`returns 401 for ${what}, on any path and method`, async () => {
      for (const [method, path] of [
        ['GET', '/api/schema/'],
        ['PUT', '/api/snippets/1/'],
        ['OPTIONS', '/nowhere/'],
      ] as const) {
        const response = await ask(method, authorization, path)
        expect(response.status, `${method} ${path}`).to.equal(401)
        const reason = isToken ? ', error="invalid_token"' : ''
        expect(response.headers.get('WWW-Authenticate')).to.equal(challenge + reason)
        const detail = isToken ? 'The token is unknown or revoked.' : 'A valid bearer token is needed.'
        expect(await response.json()).to.include({ type: 'urn:snippets:unauthorized', detail })
      }
    })

  it('returns 403 for writes with a token of read scope', async () => {
    for (const method of writes) {
      const response = await ask(method, `Bearer ${reader}`)
      const reason = ', error="insufficient_scope", scope="write"'
      expect(response.headers.get('WWW-Authenticate')).to.equal(challenge + reason)
      expect(await response.json()).to.include({ type: 'urn:snippets:forbidden', status: 403 })
    }
  })

  it('accepts reads with both scopes, and writes with the write scope', async () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      for (const token of [reader, writer])
        expect((await ask(method, `bearer  ${token} `, '/api/snippets/')).status).to.be.within(200, 204)
    expect((await ask('POST', `Bearer ${writer}`, '/api/snippets/')).status).to.equal(201)
    expect((await ask('DELETE', `Bearer ${writer}`)).status).to.equal(204)
  })

  it('observes the name of the token, but not the token', async () => {
    observed.length = 0
    await ask('GET', `Bearer ${reader}`)
    await ask('GET', 'Bearer wrong')
    await first(2)
    expect(observed.map(({ token }) => token)).to.deep.equal(['dashboard', undefined])
    expect(JSON.stringify(observed)).to.not.contain(reader)
  })
})
