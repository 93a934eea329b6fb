import { unavailable } from '@snippets/domain/errors.js'
import { maxPageSize } from '@snippets/domain/page.js'
import { expect } from 'chai'
import { left as failure, right } from 'fp-ts/lib/Either.js'
import { openConnection } from '../../support/http/raw-http.js'
import { closedGate } from '../../support/service/gate.js'
import { servicePerTest } from '../../support/service/mocha-service.js'
import { anId, draft } from '../../support/snippets.js'

describe('Lists of all snippets past their limit', () => {
  const start = servicePerTest()

  it('are refused with 503, and served again when one has ended', async () => {
    const gate = closedGate()
    const snippet = { ...draft(), id: anId(1n), version: 1 }
    const { url, client } = await start({
      maxLists: 1,
      store: memory => ({
        ...memory,
        async *all() {
          yield right([snippet])
          await gate.pass()
        },
      }),
    })
    const arrived = gate.arrival()
    const first = fetch(`${url}/api/snippets/`).then(response => response.text())
    await arrived
    const refused = await fetch(`${url}/api/snippets/`)
    expect(refused.status).to.equal(503)
    expect(refused.headers.get('Retry-After')).to.equal('1')
    expect(await refused.text())
      .to.include('urn:snippets:overloaded')
      .and.to.include('page by page')
    // which checks that the OpenAPI document says so
    expect((await client.get('/api/snippets/')).status).to.equal(503)
    gate.open()
    expect(JSON.parse(await first).snippets).to.have.length(1)
    const again = gate.arrival()
    const second = fetch(`${url}/api/snippets/`)
    await again
    gate.open()
    expect((await second).status).to.equal(200)
  })

  it('do not count one that was refused while the storage was at work', async () => {
    const gate = closedGate()
    const snippets = Array.from({ length: maxPageSize + 1 }, (_, i) => ({
      ...draft(),
      id: anId(BigInt(i + 1)),
      version: 1,
    }))
    const { url } = await start({
      maxLists: 1,
      store: memory => ({
        ...memory,
        async *all() {
          await gate.pass()
          yield right(snippets)
        },
      }),
    })
    const connection = await openConnection(url)
    const arrived = gate.arrival()
    connection.send('GET /api/snippets/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
    await arrived
    connection.send('no chunk\r\n')
    expect((await connection.answer('GET')).status).to.equal(400)
    gate.open()
    const again = gate.arrival()
    const second = fetch(`${url}/api/snippets/`)
    await Promise.race([again, second])
    gate.open()
    expect((await second).status).to.equal(200)
  })

  for (const [what, status, fail] of [
    ['fails', 503, async () => failure(unavailable('unapplied', new Error('planted')))],
    ['throws', 500, () => Promise.reject(new Error('planted'))],
  ] as const)
    it(`do not count one whose storage ${what}`, async () => {
      let isBroken = true
      const { url } = await start({
        maxLists: 1,
        store: memory => ({
          ...memory,
          async *all() {
            if (isBroken) yield await fail()
          },
        }),
      })
      expect((await fetch(`${url}/api/snippets/`)).status).to.equal(status)
      isBroken = false
      expect((await fetch(`${url}/api/snippets/`)).status).to.equal(200)
    })
})
