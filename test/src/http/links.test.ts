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
  const publicService = sharedService({ publicUrl: 'https://snippets.example' })
  before(async () => {
    for (const { client } of [service, publicService]) for (let i = 0; i < 3; i++) await client.post(list, content)
  })

  for (const [what, start, host, base] of [
    ['Host', '', 'snippets.test:8443', 'http://snippets.test:8443'],
    ['Host with an IPv6 address', '', '[::1]:8000', 'http://[::1]:8000'],
    ['host of a target in absolute form', 'https://A.test:81', 'b.test', 'http://A.test:81'],
  ] as const)
    it(`use the ${what} of the request`, async () => {
      const page = pageOf(await service.client.get(`${start}${list}?page_size=1&page=2`, { Host: host }))
      expect(withoutCursor(page.next)).to.equal(`${base}${list}?page_size=1&page=3`)
      expect(withoutCursor(page.previous)).to.equal(`${base}${list}?page_size=1&page=1`)
      const users = userPageOf(await service.client.get(`${start}/api/users/?page_size=2`, { Host: host }))
      expect(users.next).to.equal(`${base}/api/users/?page_size=2&page=2`)
    })

  it('use the public URL instead of the Host when there is one', async () => {
    const { client } = publicService
    const response = await client.get(`${list}?page_size=1&page=2`, { Host: 'snippets.test' })
    expect(withoutCursor(pageOf(response).next)).to.equal(`https://snippets.example${list}?page_size=1&page=3`)
    const created = await client.post(list, content, { Host: 'snippets.test' })
    expect(header(created, 'Location')).to.equal(`https://snippets.example${list}4/`)
    const redirect = await client.get(`${list.slice(0, -1)}?page=2`)
    expect(header(redirect, 'Location')).to.equal(`https://snippets.example${list}?page=2`)
  })

  it('are relative for an HTTP/1.0 request without a Host', async () => {
    const { client } = service
    const target = `${list}?page_size=1`
    const connection = await client.connect()
    const response = await connection.requestRaw(`GET ${target} HTTP/1.0\r\n\r\n`, { method: 'GET', target })
    expect(withoutCursor(pageOf(response).next)).to.equal(`${list}?page_size=1&page=2`)
  })

  it('continue after a page whose rows the storage leaves out', async () => {
    const leftOut = [2n, 3n, 6n]
    const { client } = await start({
      store: memory => ({
        ...memory,
        page: query => async () =>
          E.map((page: Page<Snippet>) => ({ ...page, items: page.items.filter(({ id }) => !leftOut.includes(id)) }))(
            await memory.page(query)(),
          ),
      }),
    })
    for (let i = 0; i < 6; i++) await client.post(list, content)
    const idsBy = async (link: 'next' | 'previous', first: string): Promise<readonly string[]> => {
      const ids: string[] = []
      let [target, pages] = [first, 0]
      for (; target !== '' && pages < 20; pages++) {
        const page = pageOf(await client.get(target))
        ids.push(...page.results.map(({ id }) => id))
        target = page[link] === null ? '' : targetOf(page[link])
      }
      return ids
    }
    expect(await idsBy('next', `${list}?page_size=1`)).to.deep.equal(['1', '4', '5'])
    expect(await idsBy('previous', `${list}?page_size=1&page=6`)).to.deep.equal(['5', '4', '1'])
  })

  it('percent-encode characters that are invalid in a URI', async () => {
    const { client } = service
    const title = '"<>`{|\\^[\'é'
    for (let i = 0; i < 2; i++) await client.post(list, { ...content, title })
    const sent = title.replace('é', '%C3%A9')
    const response = await client.get(`${list}?title=${sent}&page_size=1`)
    const { next, results } = pageOf(response)
    expect(results[0]?.title).to.equal(title)
    expect(next).to.match(/^[A-Za-z0-9\-._~!$&'()*+,;=:@/?%]+$/)
    const following = pageOf(await client.get(targetOf(next ?? '')))
    expect(following.results.map(snippet => snippet.title)).to.deep.equal([title])
  })

  it('keep every other parameter unchanged', async () => {
    const written = 'language=l&title=&ordering=-created_at%2Ctitle&page_size=1'
    for (const query of [written, `page=1&${written}`, `${written}&p%61ge=1`]) {
      const { next } = pageOf(await service.client.get(`${list}?${query}`))
      expect(withoutCursor(next)).to.match(/^http:[^?]*\?/)
      expect(withoutCursor(next)?.split('?')[1]).to.equal(`${written}&page=2`)
    }
  })
})
