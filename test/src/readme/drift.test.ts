import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { snippetQuery, windowQuery } from '@snippets/adapters-http/request/list-query.js'
import { orderingFields } from '@snippets/domain/ordering.js'
import { defaultPageSize, filterFields, maxPageSize } from '@snippets/domain/page.js'
import { maxSearchLength, maxTerms, searchFields } from '@snippets/domain/search.js'
import { contentFieldNames, contentFields } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { sharedService } from '../support/service/mocha-service.js'
import { root } from '../support/workspace-root.js'

const readme = await readFile(join(root, 'README.md'), 'utf8')

/** The cells of the table with this head, without backticks. */
const table = (head: string): readonly (readonly string[])[] => {
  const [, rows = ''] = readme.split(`${head}\n`)
  const lines = rows.split('\n').slice(1)
  const end = lines.findIndex(line => !line.startsWith('|'))
  return lines.slice(0, end).map(line =>
    line
      .replaceAll('`', '')
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  )
}

/** The examples have the time of their writing. */
const withoutTimes = (text: string): string => text.replace(/"created_at":"[^"]*"/g, '"created_at":"…"')

describe('The README', () => {
  const service = sharedService()

  it('names every field with its limits', () => {
    const rows = contentFieldNames.map(field => {
      const { min, max } = contentFields[field].limits
      return [field, `${min} to ${max}`]
    })
    expect(table('| Field | Characters |')).to.deep.equal(rows)
  })

  it('names every list parameter, the page sizes and the fields to order by', () => {
    const rows = table('| Parameter | Meaning |')
    expect(rows.map(([name]) => name)).to.deep.equal(snippetQuery.names)
    const meaning = Object.fromEntries(rows.map(([name, text]) => [name, text]))
    expect(meaning.page_size).to.contain(`${defaultPageSize} by default, at most ${maxPageSize}`)
    expect(meaning.search).to.contain(`every term in ${searchFields.join(' or ')},`)
    expect(meaning.search).to.contain(`up to ${maxTerms};`).and.to.contain(`At most ${maxSearchLength} characters`)
    expect(meaning.ordering).to.contain(`list of ${orderingFields.join(', ')};`)
  })

  it('shows what the service answers to its five requests', async () => {
    const examples = [...readme.matchAll(/^\$ curl (?<command>(?:.*\\\n)*.*)\n(?<answer>.*)$/gm)]
    expect(examples).to.have.length(5)
    for (const { groups } of examples) {
      const { command = '', answer = '' } = groups ?? {}
      const [, path = ''] = /http:\/\/127\.0\.0\.1:8000([^\s']*)/.exec(command) ?? []
      const [, body] = /-d '([^']*)'/.exec(command) ?? []
      const [, method = body === undefined ? 'GET' : 'POST'] = /-X (\w+)/.exec(command) ?? []
      const headers = { 'Content-Type': 'application/json' }
      const response = await fetch(service.url + path, { method, ...(body !== undefined && { body, headers }) })
      expect(withoutTimes(await response.text()), command).to.equal(withoutTimes(answer))
    }
  })
})

type Field = Readonly<{ minLength: number; maxLength: number }>
type OpenApi = Readonly<{
  components: { schemas: Record<string, { properties: Record<string, Field> }> }
  paths: Record<string, { get: { parameters: { name: string; in: string }[] } }>
}>

describe('One definition of limits and names', () => {
  const service = sharedService()
  const openApi = async (): Promise<OpenApi> => JSON.parse((await service.client.get('/api/schema/')).text)

  it('is shown by /api/snippets/config/', async () => {
    expect(JSON.parse((await service.client.get('/api/snippets/config/')).text)).to.deep.equal({
      page_size: defaultPageSize,
      max_page_size: maxPageSize,
      limits: Object.fromEntries(contentFieldNames.map(field => [field, contentFields[field].limits])),
      filter_fields: filterFields,
      search_fields: searchFields,
      ordering_fields: orderingFields,
    })
  })

  it('limits every text in the OpenAPI document, in answers and in both kinds of body', async () => {
    const { components } = await openApi()
    for (const schema of ['Snippet', 'SnippetContent', 'SnippetChanges'])
      for (const field of contentFieldNames) {
        const { minLength, maxLength } = components.schemas[schema]?.properties[field] ?? {}
        const expected = contentFields[field].limits
        expect({ min: minLength, max: maxLength }, `${field} of ${schema}`).to.deep.equal(expected)
      }
  })

  it('names the list parameters in the OpenAPI document', async () => {
    const { paths } = await openApi()
    const names = (path: string) =>
      paths[path]?.get.parameters.filter(parameter => parameter.in === 'query').map(({ name }) => name)
    expect(names('/api/snippets-viewset/')).to.deep.equal(snippetQuery.names)
    expect(names('/api/users/')).to.deep.equal(windowQuery.names)
  })

  for (const field of contentFieldNames) {
    const { min, max } = contentFields[field].limits
    it(`accepts ${min} to ${max} characters of ${field} in POST and PATCH, and no others`, async () => {
      const texts = { title: 'title', code: 'code', language: 'language' }
      const path = '/api/snippets-viewset/'
      const { id } = JSON.parse((await service.client.post(path, texts)).text)
      for (const length of [min - 1, min, max, max + 1]) {
        const changes = { [field]: '𝒳'.repeat(length) }
        const fits = length >= min && length <= max
        const created = await service.client.post(path, { ...texts, ...changes })
        expect(created.status, `POST with ${length}`).to.equal(fits ? 201 : 400)
        const patched = await service.client.patch(`${path}${id}/`, changes)
        expect(patched.status, `PATCH with ${length}`).to.equal(fits ? 200 : 400)
      }
    })
  }
})
