import { expect } from 'chai'
import { header, listed } from '../../support/http/representations.js'
import { generated, type Workspace } from './workspace.js'

const configText =
  '{"page_size":10,"max_page_size":100,' +
  '"limits":{"title":{"min":1,"max":100},"code":{"min":1,"max":10000},"language":{"min":1,"max":50}},' +
  '"filter_fields":["language","title"],"search_fields":["title","code"],"ordering_fields":["created_at","title"]}'

type Item = Readonly<Record<string, unknown>>
type Document = Readonly<{ openapi: string; info: Item; paths: Readonly<Record<string, Item>> }>

/** The two resources that never change while the service runs. */
export const configAndSchema = ({ client }: Workspace): void => {
  describe('/api/snippets/config/', () => {
    it('shows page sizes, limits, and the fields to filter by, to search and to order by', async () => {
      const answer = await client().get('/api/snippets/config/')
      expect(answer.status).to.equal(200)
      expect(answer.text).to.equal(configText)
    })

    it('has no counterpart in the generated family', async () => {
      expect((await client().get(`${generated}config/`)).status).to.equal(404)
    })
  })

  describe('/api/schema/', () => {
    const documentOf = async (): Promise<Document> => JSON.parse((await client().get('/api/schema/')).text)

    it('serves an OpenAPI 3.1 document that describes every path', async () => {
      const { openapi, paths } = await documentOf()
      expect(openapi).to.match(/^3\.1\.[0-9]+$/)
      expect(Object.keys(paths)).to.have.members([
        '/api/snippets/',
        '/api/snippets/config/',
        '/api/snippets/{id}/',
        '/api/snippets/{id}/raw/',
        '/api/snippets-viewset/',
        '/api/snippets-viewset/{id}/',
        '/api/users/',
        '/api/users/{id}/',
        '/api/schema/',
      ])
    })

    it('describes exactly the methods that each path allows', async () => {
      for (const [path, item] of Object.entries((await documentOf()).paths)) {
        const answer = await client().options(path.replace('{id}', '1'))
        const methods = Object.keys(item).filter(key => /^(get|put|post|delete|patch)$/.test(key))
        const allowed = listed(header(answer, 'Allow')).filter(method => method !== 'HEAD' && method !== 'OPTIONS')
        expect(allowed, path).to.have.members(methods.map(method => method.toUpperCase()))
      }
    })

    it('has unique operationIds and no dangling $ref', async () => {
      const { text } = await client().get('/api/schema/')
      const names = [...text.matchAll(/"operationId":"([^"]*)"/g)].map(([, name]) => name)
      expect(new Set(names).size).to.equal(names.length).and.greaterThan(0)
      for (const [, reference = ''] of text.matchAll(/"\$ref":"#\/([^"]*)"/g)) {
        const target = reference.split('/').reduce<unknown>((at, key) => Object(at)[key], JSON.parse(text))
        expect(target, reference).to.be.an('object')
      }
    })
  })
}
