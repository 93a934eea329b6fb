import { expect } from 'chai'
import type { Answer } from '../../support/http/raw-http.js'
import { header } from '../../support/http/representations.js'
import { explicit, families, generated, type Workspace } from './workspace.js'

/** Headers that depend on the request. The client checks on every response what they all have in common. */
export const headers = ({ client, create, deletedSnippet }: Workspace): void => {
  describe('X-Request-Id', () => {
    const id = (answer: Answer) => header(answer, 'X-Request-Id')

    for (const given of ['7d444840-9dc0-11d1-b245-5ffdce74fad2', 'abc', 'A-1_2.3', 'x'.repeat(128)])
      it(`is echoed when it is "${given.slice(0, 40)}"`, async () => {
        const sent = { 'X-Request-Id': given }
        const deleted = await deletedSnippet(generated)
        const answers = [
          await client().get(generated, sent),
          await client().get(deleted, sent),
          await client().get('/nowhere/', sent),
          await client().get('/api/snippets/config', sent),
          await client().post(explicit, {}, sent),
          await client().get(`${generated}?x=1`, sent),
        ]
        expect(answers.map(id)).to.deep.equal(answers.map(() => given))
      })

    for (const malformed of [
      '',
      ' ',
      'a b',
      'x'.repeat(129),
      '<script>',
      '"quoted"',
      'a,b',
      '\u00fc',
      '{}',
      'a;b',
      "'",
      '\\',
    ])
      it(`is replaced when it is ${JSON.stringify(malformed.slice(0, 10))}`, async () => {
        const answer = await client().get('/api/snippets/config/', { 'X-Request-Id': malformed })
        expect(id(answer)).to.match(/^[\w-]{8,64}$/)
        expect(id(answer)).not.to.equal(malformed)
      })

    it('is unique to each request', async () => {
      const ids = new Set<string>()
      for (let i = 0; i < 5; i++) ids.add(id(await client().get('/api/snippets/config/')))
      expect(ids.size).to.equal(5)
    })
  })

  describe('Cache-Control', () => {
    it('is no-cache wherever there is an ETag', async () => {
      for (const { path } of families) {
        const { id, ...snippet } = await create()
        const answers = [await client().get(`${path}${id}/`), await client().put(`${path}${id}/`, snippet)]
        for (const answer of answers) expect(header(answer, 'Cache-Control')).to.equal('no-cache')
      }
    })
  })

  describe(`GET ${generated}{id}/`, () => {
    for (const [name, value] of [
      ['Accept', 'text/html'],
      ['Accept-Encoding', 'gzip, br'],
      ['Accept-Language', 'xx'],
      ['Range', 'bytes=0-1'],
      ['X-HTTP-Method-Override', 'DELETE'],
      ['If-Modified-Since', 'Fri, 01 Jan 2100 00:00:00 GMT'],
      ['If-Unmodified-Since', 'junk'],
      ['Cookie', 'a=b; c'],
      ['Authorization', 'Basic !!!'],
      ['X-Forwarded-Host', 'elsewhere.test'],
    ] as const)
      it(`ignores ${name}`, async () => {
        const { id } = await create()
        const plain = await client().get(`${generated}${id}/`)
        const answer = await client().get(`${generated}${id}/`, { [name]: value })
        expect(answer.status).to.equal(200)
        expect(answer.text).to.equal(plain.text)
      })
  })
}
