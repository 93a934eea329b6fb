import { readFile } from 'node:fs/promises'
import { snippetQuery, windowQuery } from '@snippets/adapters-http/request/list-query.js'
import { changesCodec } from '@snippets/adapters-http/request/snippet-body.js'
import { defaultPageSize, filterFields, maxPageSize, orderingFields } from '@snippets/domain/page.js'
import { contentCodec, contentFieldNames, contentFields } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { type Service, startService } from '../support/service/in-process.js'

const limits = Object.fromEntries(contentFieldNames.map(field => [field, contentFields[field].limits]))

const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8')

/** The cells of the table that begins with this head, without their backticks. */
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

type Field = Readonly<{ minLength: number; maxLength: number }>
type OpenApi = Readonly<{
  components: { schemas: Record<string, { properties: Record<string, Field> }> }
  paths: Record<string, { get: { parameters: { name: string }[] } }>
}>

const documentOf = async (service: Service): Promise<OpenApi> =>
  (await (await fetch(`${service.url}/api/schema/`)).json()) as OpenApi

describe('one table of rules feeds everything that repeats it', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.stop())

  it('the README names every field with its limits', () => {
    const rows = contentFieldNames.map(field => [
      field,
      `${contentFields[field].limits.min} to ${contentFields[field].limits.max}`,
    ])
    expect(table('| Field | Characters |')).to.deep.equal(rows)
  })

  it('the README names every list parameter, the page sizes and the fields to order by', () => {
    const rows = table('| Parameter | Meaning |')
    expect(rows.map(([name]) => name)).to.deep.equal(snippetQuery.names)
    const meaning = Object.fromEntries(rows.map(([name, text]) => [name, text]))
    expect(meaning.page_size).to.contain(`${defaultPageSize} by default, at most ${maxPageSize}`)
    expect(meaning.ordering).to.contain(`list of ${orderingFields.join(', ')};`)
  })

  it('the README shows what the service answers', async () => {
    const examples = [...readme.matchAll(/^\$ curl (?<command>(?:.*\\\n)*.*)\n(?<answer>.*)$/gm)]
    expect(examples).to.have.length(5)
    for (const { groups } of examples) {
      const { command = '', answer } = groups ?? {}
      const [, path = ''] = /http:\/\/127\.0\.0\.1:8000([^\s']*)/.exec(command) ?? []
      const [, body] = /-d '([^']*)'/.exec(command) ?? []
      const [, method = body === undefined ? 'GET' : 'POST'] = /-X (\w+)/.exec(command) ?? []
      const headers = { 'Content-Type': 'application/json' }
      const response = await fetch(service.url + path, { method, ...(body !== undefined && { body, headers }) })
      expect(withoutTimes(await response.text()), command).to.equal(withoutTimes(answer ?? ''))
    }
  })

  it('config shows the rules', async () => {
    const config = await (await fetch(`${service.url}/api/snippets/config/`)).json()
    expect(config).to.deep.equal({
      page_size: defaultPageSize,
      max_page_size: maxPageSize,
      limits,
      filter_fields: filterFields,
      ordering_fields: orderingFields,
    })
  })

  it('the OpenAPI document gives every text its limits, in answers and in both kinds of body', async () => {
    const { components } = await documentOf(service)
    for (const schema of ['Snippet', 'SnippetContent', 'SnippetChanges'])
      for (const field of contentFieldNames) {
        const described = components.schemas[schema]?.properties[field]
        expect({ min: described?.minLength, max: described?.maxLength }, `${field} of ${schema}`).to.deep.equal(
          limits[field],
        )
      }
  })

  it('the OpenAPI document lists the parameters that the codecs know', async () => {
    const { paths } = await documentOf(service)
    const names = (path: string) => paths[path]?.get.parameters.map(({ name }) => name)
    expect(names('/api/snippets-viewset/')).to.deep.equal(snippetQuery.names)
    expect(names('/api/users/')).to.deep.equal(windowQuery.names)
  })

  it('the OpenAPI document describes exactly the methods that each path offers', async () => {
    const { paths } = await documentOf(service)
    for (const [path, operations] of Object.entries(paths)) {
      const response = await fetch(service.url + path.replace('{id}', '1'), { method: 'OPTIONS' })
      const offered = response.headers.get('allow')?.split(', ')
      const described = Object.keys(operations).filter(key => key !== 'parameters')
      const expected = [...described.map(method => method.toUpperCase()), 'HEAD', 'OPTIONS']
      expect(offered, path).to.have.members(expected)
    }
  })

  for (const field of contentFieldNames) {
    const { min, max } = contentFields[field].limits
    it(`the codecs take ${min} to ${max} characters of ${field}, and neither fewer nor more`, () => {
      const texts: Record<string, string> = Object.fromEntries(contentFieldNames.map(name => [name, name]))
      for (const length of [min - 1, min, max, max + 1]) {
        const body = { ...texts, [field]: '𝒳'.repeat(length) }
        const fits = length >= min && length <= max
        expect(isRight(contentCodec.decode(body)), `content with ${length}`).to.equal(fits)
        expect(isRight(changesCodec.decode({ [field]: body[field] })), `changes with ${length}`).to.equal(fits)
      }
    })
  }
})

const withoutTimes = (text: string): string => text.replace(/"created_at":"[^"]*"/g, '"created_at":"…"')
