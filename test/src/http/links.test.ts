import type { Snippet } from '@snippets/domain/entities/snippet.js'
import type { Page } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { targetOf } from '../contracts/http/paging.js'
import { header, pageOf, userPageOf } from '../support/http/representations.js'
import { bodyOf } from '../support/samples.js'
import { threeUsers } from '../support/service/in-process.js'
import { servicePerTest, sharedService } from '../support/service/mocha-service.js'

const content = bodyOf({ title: 't', code: 'c', language: 'l' })
const list = '/api/snippets-viewset/'

const withoutCursor = (link: string | null): string | undefined => link?.replace(/&(after|before)=[A-Za-z0-9_-]+$/, '')

describe('Links', () => {
  const service = sharedService({ users: threeUsers })
  const start = servicePerTest()
  before(async () => {
    for (let i = 0; i < 3; i++) await service.client.post(list, content)
  })

  for (const [what, start, host, base] of [
    ['a Host', '', 'snippets.localhost:8443', 'http://snippets.localhost:8443'],
    ['a Host that is an IPv6 address', '', '[::1]:8000', 'http://[::1]:8000'],
    ['a target in absolute form', 'https://A.localhost:81', 'b.test', 'http://A.localhost:81'],
  ] as const)
    it(`begin with ${base} for a request with ${what}`, async () => {
      const page = pageOf(await service.client.get(`${start}${list}?page_size=1&page=2`, { Host: host }))
      expect(withoutCursor(page.next)).to.equal(`${base}${list}?page_size=1&page=3`)
      expect(withoutCursor(page.previous)).to.equal(`${base}${list}?page_size=1&page=1`)
      const users = userPageOf(await service.client.get(`${start}/api/users/?page_size=2`, { Host: host }))
      expect(users.next).to.equal(`${base}/api/users/?page_size=2&page=2`)
    })

  it('use the public URL instead of the Host when there is one', async () => {
    const { client } = await start({ publicUrl: 'https://snippets.example' })
    for (const id of [1, 2]) {
      const created = await client.post(list, content, { Host: 'snippets.localhost' })
      expect(header(created, 'Location')).to.equal(`https://snippets.example${list}${id}/`)
    }
    const response = await client.get(`${list}?page_size=1`, { Host: 'snippets.localhost' })
    expect(withoutCursor(pageOf(response).next)).to.equal(`https://snippets.example${list}?page_size=1&page=2`)
    const redirect = await client.get(`${list.slice(0, -1)}?page=2`)
    expect(header(redirect, 'Location')).to.equal(`https://snippets.example${list}?page=2`)
  })

  it('are relative for an HTTP/1.0 request without a Host', async () => {
    const read = async (target: string) => {
      const connection = await service.client.connect()
      return connection.requestRaw(`GET ${target} HTTP/1.0\r\n\r\n`, { method: 'GET', target })
    }
    const response = await read(`${list}?page_size=1`)
    expect(withoutCursor(pageOf(response).next)).to.equal(`${list}?page_size=1&page=2`)
    const { text } = await read('/api/schema/')
    expect(text).to.contain('"servers":[{"url":"/",').and.to.contain('curl http://127.0.0.1:8000/api/')
  })

  it('continue after a page whose rows the storage leaves out', async () => {
    const leaveOut = E.map((page: Page<Snippet>) => ({
      ...page,
      items: page.items.filter(({ id }) => ![2n, 3n, 6n].includes(id)),
    }))
    const { client } = await start({
      store: memory => ({ ...memory, page: query => async () => leaveOut(await memory.page(query)()) }),
    })
    for (let i = 0; i < 6; i++) await client.post(list, content)
    for (const [link, query, expected] of [
      ['next', 'page_size=1', ['1', '4', '5']],
      ['previous', 'page_size=1&page=6', ['5', '4', '1']],
    ] as const) {
      const ids: string[] = []
      for (let target: string | null = `${list}?${query}`, pages = 0; target !== null && pages < 20; pages++) {
        const page = pageOf(await client.get(target))
        ids.push(...page.results.map(({ id }) => id))
        target = page[link] && targetOf(page[link])
      }
      expect(ids).to.deep.equal(expected)
    }
  })

  it('lead back through all snippets from a page that deletes have emptied', async () => {
    const { client } = await start()
    for (const title of ['d', 'e', 'f', 'g']) await client.post(list, { ...content, title })
    const { next } = pageOf(await client.get(`${list}?ordering=title&page_size=2`))
    for (const id of [3, 4]) await client.delete(`${list}${id}/`)
    for (const title of ['a', 'b', 'c']) await client.post(list, { ...content, title })
    const titles: string[] = []
    for (let target = next; target !== null; ) {
      const { results, previous } = pageOf(await client.get(targetOf(target)))
      titles.unshift(...results.map(({ title }) => title))
      target = previous
    }
    expect(titles).to.deep.equal(['a', 'b', 'c', 'd', 'e'])
  })

  it('percent-encode characters that are invalid in a URI', async () => {
    const { client } = service
    const title = '"<>`{|\\^[\'é'
    for (let i = 0; i < 2; i++) await client.post(list, { ...content, title })
    const { next, results } = pageOf(await client.get(`${list}?title=${title.replace('é', '%C3%A9')}&page_size=1`))
    expect(next).to.match(/^[A-Za-z0-9\-._~!$&'()*+,;=:@/?%]+$/)
    const following = pageOf(await client.get(targetOf(next ?? '')))
    for (const snippet of [results[0], following.results[0]]) expect(snippet?.title).to.equal(title)
  })

  it('keep filters and ordering unchanged, and have the page size that the service uses', async () => {
    const { client } = await start()
    for (let i = 0; i < 101; i++) await client.post(list, content)
    const written = 'language=l&title=&ordering=-created_at%2Ctitle'
    for (const [query, size] of [
      [written, 10],
      [`page=1&${written}&page_size=1`, 1],
      [`page_size=1&${written}&p%61ge=1`, 1],
      [`${written}&page_size=${'9'.repeat(8100)}`, 100],
    ] as const) {
      const next = targetOf(pageOf(await client.get(`${list}?${query}`)).next ?? '')
      expect(withoutCursor(next)).to.equal(`${list}?${written}&page_size=${size}&page=2`)
      expect((await client.get(next)).status).to.equal(200)
    }
  })
})
