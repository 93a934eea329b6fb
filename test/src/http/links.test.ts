import { expect } from 'chai'
import { linksOf } from '../contracts/http/links.js'
import { header, pageOf, userPageOf } from '../support/http/representations.js'
import { type ServiceOptions, threeUsers } from '../support/service/in-process.js'
import { servicePerTest } from '../support/service/mocha-service.js'

const content = { title: 't', code: 'c', language: 'l' }
const list = '/api/snippets-viewset/'

const withoutCursor = (link: string | null): string | undefined => link?.replace(/&(after|before)=[A-Za-z0-9_-]+$/, '')

describe('Links', () => {
  const start = servicePerTest()
  const startWithData = async (options: ServiceOptions = {}) => {
    const service = await start({ users: threeUsers, ...options })
    for (let i = 0; i < 3; i++) await service.client.post('/api/snippets/', content)
    return service
  }

  it("use the request's Host", async () => {
    const { client } = await startWithData()
    for (const host of ['snippets.test', 'snippets.test:8443', '[::1]:8000', 'localhost']) {
      const page = pageOf(await client.get(`${list}?page_size=1&page=2`, { Host: host }))
      expect(withoutCursor(page.next)).to.equal(`http://${host}${list}?page_size=1&page=3`)
      expect(withoutCursor(page.previous)).to.equal(`http://${host}${list}?page_size=1&page=1`)
      const users = userPageOf(await client.get('/api/users/?page_size=2', { Host: host }))
      expect(users.next).to.equal(`http://${host}/api/users/?page_size=2&page=2`)
    }
  })

  it('use the public URL instead of the Host when there is one', async () => {
    const { client } = await startWithData({ publicUrl: 'https://snippets.example' })
    for (const host of ['snippets.test', '127.0.0.1']) {
      const page = pageOf(await client.get(`${list}?page_size=1&page=2`, { Host: host }))
      expect(withoutCursor(page.next)).to.equal(`https://snippets.example${list}?page_size=1&page=3`)
      const { 'service-desc': description } = linksOf(await client.get(list, { Host: host }))
      expect(description).to.equal('https://snippets.example/api/schema/')
      const created = await client.post(list, content, { Host: host })
      expect(new URL(header(created, 'Location'), 'https://snippets.example').href).to.match(
        /^https:\/\/snippets\.example\/api\/snippets-viewset\/[0-9]+\/$/,
      )
    }
  })

  it('use the address of the server for an HTTP/1.0 request without a Host', async () => {
    const { client, url } = await startWithData()
    const connection = await client.connect()
    const target = `${list}?page_size=1`
    const answer = await connection.askRaw(`GET ${target} HTTP/1.0\r\n\r\n`, { method: 'GET', target })
    expect(withoutCursor(pageOf(answer).next)).to.equal(`${url}${list}?page_size=1&page=2`)
  })

  for (const character of ['"', '<', '>', '`', '{', '|', '\\', '^', '[', "'"])
    it(`hold ${character} only in a form that a URI can hold`, async () => {
      const { client } = await start()
      const title = `a${character}b`
      for (let i = 0; i < 2; i++) await client.post('/api/snippets/', { ...content, title })
      const answer = await client.get(`${list}?title=${title}&page_size=1`)
      const { next, results } = pageOf(answer)
      expect(linksOf(answer).next).to.equal(next)
      expect(results[0]?.title).to.equal(title)
      expect(next).to.match(/^[A-Za-z0-9\-._~!$&'()*+,;=:@/?%]+$/)
      const following = pageOf(await client.get((next ?? '').replace(/^http:\/\/[^/]*/, '')))
      expect(following.results.map(snippet => snippet.title)).to.deep.equal([title])
    })

  for (const authority of ['a.test:99999', '[::::]', 'user@a.test', 'a'.repeat(300)])
    it(`are not made of the authority ${authority.slice(0, 20)}: the answer is 400`, async () => {
      const { client } = await startWithData()
      const target = `http://${authority}${list}?page_size=1`
      expect((await client.ask({ method: 'GET', target, headers: { Host: 'b.test' } })).status).to.equal(400)
    })

  it('lead from a path without its slash to a Location that is a URI', async () => {
    const { client } = await start()
    const answer = await client.get('/api/snippets/<">?x=`')
    expect(answer.status).to.equal(308)
    expect(header(answer, 'Location')).to.equal('/api/snippets/%3C%22%3E/?x=%60')
  })

  it('keep every other parameter as it was sent', async () => {
    const { client } = await startWithData()
    const written = 'language=l&title=&ordering=-created_at%2Ctitle&page_size=1'
    for (const query of [written, `page=1&${written}`, `${written}&page=1`]) {
      const { next } = pageOf(await client.get(`${list}?${query}`))
      const parameters = new URL(next ?? '').searchParams
      expect(parameters.get('after')).to.be.a('string')
      parameters.delete('after')
      expect(Object.fromEntries(parameters)).to.deep.equal({
        ...Object.fromEntries(new URLSearchParams(written)),
        page: '2',
      })
      expect([...parameters.keys()]).to.have.length(5)
    }
  })

  it('escape parameter values', async () => {
    const { client } = await startWithData()
    const language = 'C++ & "é" %\u0000#'
    for (let i = 0; i < 2; i++) await client.post(list, { ...content, language })
    const query = `page_size=1&language=${encodeURIComponent(language)}`
    const { next } = pageOf(await client.get(`${list}?${query}`))
    const { pathname, search, searchParams } = new URL(next ?? '')
    expect(searchParams.get('language')).to.equal(language)
    expect(pageOf(await client.get(pathname + search)).results).to.have.length(1)
  })
})
