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
  for (const [what, before, after, lost] of [
    ['an operation', { paths: { '/a/': { get: {}, post: {} } } }, { paths: { '/a/': { get: {} } } }, 'paths /a/ post'],
    ['a parameter', { parameters: [{ name: 'a' }] }, { parameters: [{ name: 'b' }] }, 'parameters {"name":"a"}'],
    ['a status', { responses: { 201: {} } }, { responses: { 200: {} } }, 'responses 201'],
    ['a property', { properties: { title: {} } }, { properties: {} }, 'properties title'],
    ['a required property', { required: ['a', 'b'] }, { required: ['a'] }, 'required "b"'],
    ['a value of an enumeration', { enum: ['a', 'b'] }, { enum: ['b', 'c'] }, 'enum "a"'],
    ['a variant', { oneOf: [{ $ref: '#/a' }] }, { oneOf: [{ $ref: '#/b' }] }, 'oneOf {"$ref":"#/a"}'],
    ['a type', { type: 'integer' }, { type: 'string' }, 'type integer'],
  ] as const)
    it(`finds ${what} that is lost`, () => {
      expect(lostParts(before, after)).to.deep.equal([lost])
    })

  it('accepts additions, other texts, examples and limits', () => {
    const before = { description: 'a', example: 1, enum: ['a'], properties: { a: { maxLength: 1 } } }
    const after = { description: 'b', enum: ['b', 'a'], properties: { a: { maxLength: 2 }, b: {} } }
    expect(lostParts(before, after)).to.deep.equal([])
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
