import { snippetQueryReader } from '@snippets/adapters-http/request/list-query.js'
import { contentFieldNames, contentFields } from '@snippets/domain/entities/snippet.js'
import { maxSearchLength, maxSearchTerms, searchFields } from '@snippets/domain/queries/filter.js'
import { orderingFields } from '@snippets/domain/queries/ordering.js'
import { defaultPageSize, maxPageSize } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import { sharedService } from '../support/service/mocha-service.js'
import { readFromRoot as read } from '../support/workspace-root.js'

const readme = read('README.md')

/** Returns the cells of the table with this head, without backticks. */
const table = (head: string): readonly (readonly string[])[] => {
  const [, rows = ''] = readme.split(`${head}\n`)
  const lines = rows.split('\n').slice(1)
  const cells = (line: string) => line.replaceAll('`', '').split('|').slice(1, -1)
  const end = lines.findIndex(line => !line.startsWith('|'))
  return lines.slice(0, end).map(line => cells(line).map(cell => cell.trim()))
}

/** Replaces times, because the examples have the time of their writing. */
const withoutTimes = (text: string): string => text.replace(/"(\w+_at)":"[^"]*"/g, '"$1":"…"')

describe('The README', () => {
  const service = sharedService()

  it('names every field with its limits', () => {
    const rows = table('| Field | Limits |')
    expect(rows.map(([field]) => field)).to.deep.equal(contentFieldNames)
    for (const field of contentFieldNames) {
      const { min, max } = contentFields[field].limits
      expect(rows).to.deep.include([field, `${min} to ${max} characters`])
    }
  })

  it('names every list parameter, the page sizes and the fields to order by', () => {
    const rows = table('| Parameter | Meaning |')
    expect(rows.map(([name]) => name)).to.deep.equal(snippetQueryReader.names)
    const meaning = Object.fromEntries(rows.map(([name, text]) => [name, text]))
    expect(meaning.page_size).to.contain(`${defaultPageSize} by default, at most ${maxPageSize}`)
    expect(meaning.search).to.contain(`every term in ${searchFields.join(' or ')},`)
    expect(meaning.search).to.contain(`At most ${maxSearchTerms} terms and ${maxSearchLength} characters`)
    expect(meaning.ordering).to.contain(`list of ${orderingFields.join(', ')};`)
  })

  it('shows the responses of the service to its five requests', async () => {
    const examples = [...readme.matchAll(/^\$ curl (?<command>(?:.*\\\n)*.*)\n(?<answer>.*)$/gm)]
    expect(examples).to.have.length(5)
    for (const { groups } of examples) {
      const { command = '', answer = '' } = groups ?? {}
      const [, path = ''] = /http:\/\/127\.0\.0\.1:8000([^\s']*)/.exec(command) ?? []
      const [, body] = /-d '([^']*)'/.exec(command) ?? []
      const [, method = body === undefined ? 'GET' : 'POST'] = /-X (\w+)/.exec(command) ?? []
      const headers = [...command.matchAll(/-H '([^:]*): ([^']*)'/g)].map(([, name = '', value = '']) => [name, value])
      const response = await fetch(service.url + path, {
        method,
        headers: Object.fromEntries(headers),
        ...(body !== undefined && { body }),
      })
      expect(withoutTimes(await response.text()), command).to.equal(withoutTimes(answer))
    }
  })

  it('names the supported Node.js versions, as does CONTRIBUTING', () => {
    const [, oldest = '', past] = /^>=(\S+) <(\d+)$/.exec(JSON.parse(read('package.json')).engines.node) ?? []
    for (const text of [readme, read('CONTRIBUTING.md')])
      expect(text).to.contain(`Node.js ${oldest} to ${Number(past) - 1}`)
  })
})
