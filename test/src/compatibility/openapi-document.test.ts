import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { fixture, openApiText, releases } from './fixtures.js'
import { type ApiDocument, demandsOf, lostParts } from './lost-parts.js'

const parsed = (text: string): ApiDocument => JSON.parse(text)

describe('The OpenAPI document', () => {
  for (const release of releases)
    it(`has everything that the one of ${release} has, and requires no more of a request`, async () => {
      const before = parsed(readFileSync(fixture(release, 'openapi.json'), 'utf8'))
      const now = parsed(await openApiText())
      expect(lostParts(before, now)).to.deep.equal([])
      expect(demandsOf(before)).to.include.members([...demandsOf(now)])
    })
})

describe('The comparison of OpenAPI documents', () => {
  it('finds lost operations, parameters, required fields, values and types, but no changes of texts and limits', () => {
    const before = {
      description: 'a',
      paths: { '/a/': { get: {}, post: { parameters: [{ name: 'a' }] } } },
      schemas: { A: { type: 'string', enum: ['a'], required: ['a'], properties: { a: { maxLength: 1 } } } },
    }
    const after = {
      paths: { '/a/': { post: { parameters: [{ name: 'b' }] } } },
      schemas: { A: { type: 'number', enum: ['b'], required: [], properties: { a: { maxLength: 2 }, b: {} } } },
    }
    expect(lostParts(before, after)).to.deep.equal([
      'paths /a/ get',
      'paths /a/ post parameters {"name":"a"}',
      'schemas A type string',
      'schemas A enum "a"',
      'schemas A required "a"',
    ])
  })

  it('knows the parameters and the fields that a request must have', () => {
    const schema = { $ref: '#/components/schemas/A' }
    const operation = {
      operationId: 'create',
      parameters: [{ name: 'id', required: true }, { name: 'page' }],
      requestBody: { content: { 'application/json': { schema } } },
    }
    const document = { paths: { '/': { post: operation } }, components: { schemas: { A: { required: ['title'] } } } }
    expect(demandsOf(document)).to.deep.equal(['create id', 'create title'])
  })
})
