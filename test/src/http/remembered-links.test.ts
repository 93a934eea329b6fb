import { cursorOf, positionOf } from '@snippets/adapters-http/request/cursor.js'
import { expect } from 'chai'
import { linksOf } from '../contracts/http/links.js'
import { pageOf } from '../support/http/representations.js'
import { sortedBy } from '../support/queries.js'
import { servicePerTest } from '../support/service/mocha-service.js'
import { anId } from '../support/snippets.js'

const list = '/api/snippets-viewset/'
const target = `${list}?ordering=title&page_size=1&page=2`

describe('The links of a page that is asked for again', () => {
  const start = servicePerTest()
  const startWithThree = async () => {
    const { client } = await start()
    for (const title of ['a', 'b', 'c']) await client.post(list, { title, code: 'c', language: 'l' })
    return client
  }

  it('are the same while nothing changes', async () => {
    const client = await startWithThree()
    const first = await client.get(target)
    const again = await client.get(target)
    expect(again.text).to.equal(first.text)
    expect(again.headers.link).to.equal(first.headers.link)
  })

  it('follow a snippet at the edge of the page that gets another title', async () => {
    const client = await startWithThree()
    const before = pageOf(await client.get(target))
    await client.ask({
      method: 'PATCH',
      target: `${list}2/`,
      body: '{"title":"bb"}',
      headers: { 'Content-Type': 'application/json' },
    })
    const after = await client.get(target)
    expect(pageOf(after).next).to.be.a('string').that.is.not.equal(before.next)
    expect(linksOf(after).next).to.equal(pageOf(after).next)
  })

  it('follow the first snippet of the page when the last one stays', async () => {
    const client = await startWithThree()
    for (const title of ['d', 'e']) await client.post(list, { title, code: 'c', language: 'l' })
    const middle = `${list}?ordering=title&page_size=2&page=2`
    const before = pageOf(await client.get(middle))
    await client.patch(`${list}3/`, { title: 'cc' })
    const after = pageOf(await client.get(middle))
    expect(after.next).to.equal(before.next)
    expect(after.previous).to.be.a('string').that.is.not.equal(before.previous)
  })

  it('lead from past the end to the page that is the last one now', async () => {
    const client = await startWithThree()
    const beyond = `${list}?ordering=title&page_size=1&page=9`
    expect(pageOf(await client.get(beyond)).previous).to.match(/page=3$/)
    await client.ask({ method: 'DELETE', target: `${list}3/` })
    expect(pageOf(await client.get(beyond)).previous).to.match(/page=2$/)
  })

  it('go when there is no further page', async () => {
    const client = await startWithThree()
    expect(pageOf(await client.get(target)).next).to.be.a('string')
    await client.ask({ method: 'DELETE', target: `${list}3/` })
    const after = await client.get(target)
    expect(pageOf(after).next).to.equal(null)
    expect(linksOf(after).next).to.equal(undefined)
  })

  it('have the Host of each request', async () => {
    const client = await startWithThree()
    for (const host of ['a.test', 'b.test', 'a.test'])
      expect(pageOf(await client.get(target, { Host: host })).next).to.match(new RegExp(`^http://${host}/`))
  })
})

describe('A cursor', () => {
  const query = { filter: {}, ordering: sortedBy('title', 'created_at') }
  const position = { id: anId(7n), created_at: 1, title: 'a' }

  it('of a time that no Date can have is refused, though its hash is right', () => {
    const latest = { ...position, created_at: 8.64e15 }
    expect(positionOf(query, cursorOf(query, latest))).to.deep.equal(latest)
    expect(positionOf(query, cursorOf(query, { ...position, created_at: 8.64e15 + 1 }))).to.equal(undefined)
  })

  for (const other of [{ id: anId(8n) }, { created_at: 2 }, { title: 'b' }])
    it(`differs for another ${Object.keys(other)}, also when both are asked for in turn`, () => {
      const places = [position, { ...position, ...other }, { ...position, title: 'x' }]
      for (const place of [...places, ...places]) expect(positionOf(query, cursorOf(query, place))).to.deep.equal(place)
    })
})
