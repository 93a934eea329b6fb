import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { contentFieldNames, contentFields } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import type { Middleware } from 'koa'
import { bytesOf, type CheckedConnection } from '../../support/http/http-client.js'
import { pageOf, problemOf } from '../../support/http/representations.js'
import { servicePerTest, sharedService } from '../../support/service/mocha-service.js'

const list = '/api/snippets/'
const page = '/api/snippets-viewset/?page_size=100'
const users = '/api/users/'
/** As long in JSON as a snippet can be, and not kept as JSON; then one of many bytes in few characters. */
const codes = ['\u0001'.repeat(10_000), '𝒳é"'.repeat(3000)]
const contentAt = (index: number) => ({ title: `t${index}`, code: codes[index % 2], language: 'l' })
const untouched: Middleware = (_ctx, next) => next()

const hows = [
  ['on the short cut', []],
  ['behind other middleware', [untouched]],
] as const

for (const [how, middleware] of hows)
  describe(`A page of 3 MB, ${how},`, () => {
    const service = sharedService({ middleware })
    let connection: CheckedConnection
    before(async () => {
      for (let i = 0; i < 100; i++) await service.client.post(list, contentAt(i))
    })
    beforeEach(async () => {
      connection = await service.client.connect()
    })

    const get = (target: string): Buffer => bytesOf({ method: 'GET', target }, new URL(service.url).host)
    const answerTo = (target: string) => connection.askRaw('', { method: 'GET', target })

    it('is whole, and says its length', async () => {
      const answer = await service.client.get(page)
      expect(answer.headers['content-length']).to.equal(String(answer.body.length))
      expect(answer.headers).to.not.have.property('transfer-encoding')
      const { results, ...envelope } = pageOf(answer)
      expect(envelope).to.deep.equal({ count: 100, next: null, previous: null })
      expect(results.map(({ title, code, language }) => ({ title, code, language }))).to.deep.equal(
        Array.from({ length: 100 }, (_, i) => contentAt(i)),
      )
    })

    it('has the same head when only that is asked for', async () => {
      const { headers } = await service.client.get(page)
      const head = await service.client.head(page)
      expect(head.headers['content-length']).to.equal(headers['content-length'])
      expect(head.body.length).to.equal(0)
    })

    it('is whole over HTTP/1.0, too', async () => {
      const { body } = await service.client.get(page)
      const answer = await connection.askRaw(`GET ${page} HTTP/1.0\r\nHost: ${new URL(service.url).host}\r\n\r\n`, {
        method: 'GET',
        target: page,
      })
      expect(answer.body.equals(body)).to.equal(true)
      expect(await connection.ended()).to.equal('closed')
    })

    it('is followed by the answers to pipelined requests', async () => {
      connection.send(Buffer.concat([get(page), get(users), get(page)]))
      for (const target of [page, users, page]) expect((await answerTo(target)).status).to.equal(200)
    })

    it('is made as far as its client reads', async () => {
      const responses: ServerResponse[] = []
      const watch = (message: unknown): void => {
        responses.push((message as { response: ServerResponse }).response)
      }
      subscribe('http.server.request.start', watch)
      try {
        connection.pause()
        connection.send(Buffer.concat([get(page), get(page), get(page), get(page)]))
        await wait(500)
        const waiting = responses.map(({ writableLength }) => writableLength)
        expect(Math.max(...waiting)).to.be.within(1, 100 * 1024)
        connection.resume()
        for (let i = 0; i < 4; i++) expect((await answerTo(page)).status).to.equal(200)
      } finally {
        unsubscribe('http.server.request.start', watch)
      }
    })

    it('costs only its connection when the client leaves', async () => {
      connection.pause()
      connection.send(Buffer.concat([get(page), get(page)]))
      await wait(50)
      connection.destroy()
      expect((await service.client.get(page)).status).to.equal(200)
    })
  })

describe('Of a large page the memory', () => {
  const start = servicePerTest()

  for (const [how, middleware] of hows)
    it(`counts as unsent until its client has read it, ${how}`, async () => {
      const { client, url, load } = await start({ middleware })
      for (let i = 0; i < 100; i++) await client.post(list, contentAt(i))
      const connection = await client.connect()
      connection.pause()
      connection.send(bytesOf({ method: 'GET', target: page }, new URL(url).host))
      while (load().unsentBytes === 0) await wait(5)
      const counted = load().unsentBytes
      connection.resume()
      const { body } = await connection.askRaw('', { method: 'GET', target: page })
      // the items and their JSON; the envelope is short
      expect(counted).to.be.at.least(2 * (body.length - 1000))
      while (load().unsentBytes > 0) await wait(5)
    })
})

describe('A service that shuts down while it sends a large page', () => {
  const start = servicePerTest()

  it('sends it to the end', async () => {
    const { client, url, shutDown } = await start()
    for (let i = 0; i < 100; i++) await client.post(list, contentAt(i))
    const connection = await client.connect()
    connection.pause()
    connection.send(bytesOf({ method: 'GET', target: page }, new URL(url).host))
    await wait(100)
    const stopped = shutDown(10_000)
    await wait(100)
    connection.resume()
    expect(pageOf(await connection.askRaw('', { method: 'GET', target: page })).results).to.have.length(100)
    await stopped
  })
})

const smallest = 128 * 1024

describe('A service with the smallest limit for bodies', () => {
  const service = sharedService({ maxBodyBytes: smallest })

  it('takes every valid snippet, with every character escaped', async () => {
    const fields = contentFieldNames.map(
      field => `"${field}":"${'\\ud835\\udcb3'.repeat(contentFields[field].limits.max)}"`,
    )
    expect((await service.client.post(list, `{${fields.join(',')}}`)).status).to.equal(201)
  })

  it('says how much a body may have', async () => {
    const answer = await service.client.post(list, ' '.repeat(smallest + 1))
    expect(answer.status).to.equal(413)
    expect(problemOf(answer).detail).to.equal('A body may have at most 131072 bytes.')
    const { text } = await service.client.get('/api/schema/')
    expect(JSON.parse(text).paths[list].post.requestBody.description).to.equal('At most 131072 bytes.')
  })
})
