import { setTimeout as pause } from 'node:timers/promises'
import { firstVersion } from '@snippets/domain/entities/snippet.js'
import type { SnippetStore } from '@snippets/domain/ports/stores.js'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { eventually } from '../../support/eventually.js'
import { openConnection } from '../../support/http/raw-http.js'
import { get, requestHead } from '../../support/http/wire.js'
import { servicePerTest } from '../../support/service/mocha-service.js'
import { anId, draft } from '../../support/snippets.js'

const list = get('/api/snippets/')
const connect = requestHead('CONNECT', 'a:80')

/** A megabyte of snippets. Some of them exceed every buffer between server and client. */
const megabyte = Array.from({ length: 100 }, (_, i) =>
  firstVersion(anId(BigInt(i + 1)), draft({ code: 'x'.repeat(10_000) })),
)
const megabytes = 12

const store = (memory: SnippetStore): SnippetStore => ({
  ...memory,
  async *all() {
    for (let i = 0; i < megabytes; i++) yield right(megabyte)
  },
})

describe('A connection whose client leaves a response unread', function () {
  this.timeout(60_000)
  const start = servicePerTest()

  for (const [how, closesItsSide] of [
    ['', false],
    [', also to a client that has closed its side', true],
  ] as const)
    it(`sends the response completely, then the 400 of a CONNECT behind it${how}`, async () => {
      const { url, connections } = await start({ store })
      const client = await openConnection(url)
      client.pause()
      client.send(list + connect)
      if (closesItsSide) client.end()
      client.resume()
      const { snippets } = JSON.parse((await client.response('GET')).text)
      expect(snippets).to.have.lengthOf(megabytes * megabyte.length)
      expect((await client.response('CONNECT')).status).to.equal(400)
      expect(await client.ended()).to.equal('closed')
      await eventually(() => connections() === 0)
    })

  for (const [what, first, further] of [
    ['nothing', list, ''],
    ['empty lines', list, '\r\n'],
    ['a part of a request', `${list}GET /`, 'a'],
    ['bytes behind CONNECT', list + connect, 'a'],
  ] as const)
    it(`closes when the client takes nothing and sends ${what}`, async () => {
      const { url, connections } = await start({ store, limits: { stallMs: 300 } })
      const client = await openConnection(url)
      client.pause()
      client.send(first)
      await eventually(() => connections() === 1)
      const sending = setInterval(() => client.send(further), 30)
      await eventually(() => connections() === 0).finally(() => clearInterval(sending))
      client.destroy()
    })

  it('stays open while the client reads slowly, and then serves the next request', async () => {
    const { url } = await start({ store, limits: { stallMs: 1000 } })
    const client = await openConnection(url)
    client.send(list)
    const response = client.response('GET')
    for (let round = 0; round < 60; round++) {
      client.pause()
      await pause(40)
      client.resume()
      await pause(0)
      client.send('\r\n')
    }
    expect(JSON.parse((await response).text).snippets).to.have.lengthOf(megabytes * megabyte.length)
    client.send(get('/api/snippets/config/'))
    expect((await client.response('GET')).status).to.equal(200)
    client.destroy()
  })
})
