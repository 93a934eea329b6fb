import type { ListError } from '@snippets/domain/errors.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { type Either, right } from 'fp-ts/lib/Either.js'
import { bytesOf } from '../../support/http/http-client.js'
import { snippetsOf } from '../../support/http/representations.js'
import { sharedService } from '../../support/service/mocha-service.js'
import { anId, draft } from '../../support/snippets.js'

const megabyte: readonly Snippet[] = Array.from({ length: 100 }, (_, i) => ({
  ...draft({ code: 'x'.repeat(10_000) }),
  id: anId(BigInt(i + 1)),
  version: 1,
}))

async function* twentyMegabytes(): AsyncGenerator<Either<ListError, readonly Snippet[]>> {
  for (let i = 0; i < 20; i++) yield right(megabyte)
}

describe('CONNECT behind a long list', () => {
  const service = sharedService({ store: memory => ({ ...memory, all: twentyMegabytes }) })

  it('is refused after the whole list, however late that is read', async () => {
    const { client } = service
    await client.description()
    const connection = await client.connect()
    connection.pause()
    const list = bytesOf({ method: 'GET', target: '/api/snippets/' }, new URL(service.url).host)
    connection.send(Buffer.concat([list, Buffer.from('CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n')]))
    // meanwhile the server fills the buffers between the two ends
    for (let i = 0; i < 100; i++) await client.get('/api/users/')
    connection.resume()
    const answer = await connection.askRaw('', { method: 'GET', target: '/api/snippets/' })
    expect(snippetsOf(answer)).to.have.length(2000)
    expect((await connection.askRaw('', { method: '', target: '' })).status).to.equal(400)
    expect(await connection.ended()).to.equal('closed')
  })
})
