import { expect } from 'chai'
import { header, listed } from '../../support/http/representations.js'
import { generated, type Workspace } from './workspace.js'

const configText =
  '{"page_size":10,"max_page_size":100,' +
  '"limits":{"title":{"min":1,"max":100},"code":{"min":1,"max":10000},"language":{"min":1,"max":50}},' +
  '"filter_fields":["language","title"],"ordering_fields":["created_at","title"]}'

type Item = Readonly<Record<string, unknown>>
type Document = Readonly<{ openapi: string; info: Item; paths: Readonly<Record<string, Item>> }>

/** What is the same for everyone: the config and the description. */
export const fixedResources = ({ client }: Workspace): void => {
  describe('the config', () => {
    it('says the limits and names', async () => {
      const answer = await client().get('/api/snippets/config/')
      expect(answer.status).to.equal(200)
      expect(answer.text).to.equal(configText)
    })

    it('is nowhere else', async () => {
      expect((await client().get(`${generated}config/`)).status).to.equal(404)
    })
  })

  describe('the schema', () => {
    const documentOf = async (): Promise<Document> => JSON.parse((await client().get('/api/schema/')).text)

    it('is OpenAPI 3.1 and describes every path', async () => {
      const { openapi, paths } = await documentOf()
      expect(openapi).to.match(/^3\.1\.[0-9]+$/)
      expect(Object.keys(paths)).to.have.members([
        '/api/snippets/',
        '/api/snippets/config/',
        '/api/snippets/{id}/',
        '/api/snippets-viewset/',
        '/api/snippets-viewset/{id}/',
        '/api/users/',
        '/api/users/{id}/',
        '/api/schema/',
      ])
    })

    it('describes exactly the methods that each path offers', async () => {
      for (const [path, item] of Object.entries((await documentOf()).paths)) {
        const answer = await client().options(path.replace('{id}', '1'))
        const methods = Object.keys(item).filter(key => /^(get|put|post|delete|patch)$/.test(key))
        const offered = listed(header(answer, 'Allow')).filter(method => method !== 'HEAD' && method !== 'OPTIONS')
        expect(offered, path).to.have.members(methods.map(method => method.toUpperCase()))
      }
    })

    it('names each operation once and refers to nothing that is not there', async () => {
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
