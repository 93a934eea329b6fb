import { contentFieldNames } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import { problemOf, snippetOf } from '../../support/http/representations.js'
import { bodyOf } from '../../support/samples.js'
import { errorsOf, explicit, families, generated, type Sandbox } from './sandbox.js'

const json = 'application/json'
const mergePatch = 'application/merge-patch+json'

/** Tests request bodies on every method that has one. The tests of the domain cover the limits of fields. */
export const bodies = ({ client, create, marker, deletedSnippet }: Sandbox): void => {
  const valid = () => bodyOf({ title: marker(), language: marker() })
  const newTarget = async (path: string) => `${path}${(await create()).id}/`
  const operations = [
    ...families.flatMap(({ path }) => [['post', path] as const, ['put', path] as const]),
    ['patch', generated] as const,
  ].map(([method, path]) => ({
    method,
    name: `${method.toUpperCase()} ${method === 'post' ? path : `${path}{id}/`}`,
    /** The header that lists the accepted types. */
    accept: method === 'put' ? 'accept' : `accept-${method}`,
    types: method === 'patch' ? [json, mergePatch] : [json],
    send: async (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
      client()[method](method === 'post' ? path : await newTarget(path), body, headers),
  }))

  for (const { method, name, accept, types, send } of operations) {
    it(`${name} returns 400 with all errors at once, in the order of the fields and in the detail`, async () => {
      const body = { ...bodyOf(), language: '', code: 'x'.repeat(10_001), title: null }
      const response = await send(body)
      const errors = errorsOf(response)
      expect(problemOf(response).detail).to.equal(errors.map(({ message }) => message).join('; '))
      expect(errors).to.deep.equal([
        { field: 'title', code: 'type', message: 'title must be a string' },
        { field: 'code', code: 'length', message: 'code must be between 1 and 10000 characters' },
        { field: 'language', code: 'length', message: 'language must be between 1 and 50 characters' },
      ])
    })

    it(`${name} accepts ${types.join(' and ')} in UTF-8, and returns 415 for another type, charset or encoding`, async () => {
      for (const type of types)
        for (const charset of ['', ';charset="UTF-8"'])
          expect((await send(valid(), { 'Content-Type': type + charset })).status).to.be.oneOf([200, 201])
      const otherTypes = [json, mergePatch, 'text/plain'].filter(type => !types.includes(type))
      for (const type of [...otherTypes, `${json}; charset=utf-16`]) {
        const response = await send(valid(), { 'Content-Type': type })
        expect(response.status).to.equal(415)
        expect(response.headers[accept]).to.equal(types.join(', '))
      }
      const encoded = await send(valid(), { 'Content-Encoding': 'gzip' })
      expect([encoded.status, encoded.headers['accept-encoding']]).to.deep.equal([415, 'identity'])
    })

    if (method === 'patch') continue
    it(`${name} requires every field, and names the unknown ones of a body that lacks a field`, async () => {
      expect(errorsOf(await send({}))).to.deep.equal(
        contentFieldNames.map(field => ({ field, code: 'required', message: `${field} is required` })),
      )
      const misspelt = { ...bodyOf({ code: '' }), title: undefined, id: 1, '': 0, ['titel'.repeat(9)]: 't' }
      const response = await send(misspelt)
      const messages = errorsOf(response).map(({ message }) => message)
      expect(messages).to.deep.equal(['title is required', 'code must be between 1 and 10000 characters'])
      const unknown = `an empty name, ${'titel'.repeat(8)}…`
      expect(problemOf(response).detail).to.equal(`${messages.join('; ')}; unknown and ignored: ${unknown}`)
    })
  }

  it(`PATCH ${generated}{id}/ returns 400 for a body whose fields are all unknown, but 200 for an empty object`, async () => {
    const patch = async (body: unknown) => client().patch(await newTarget(generated), body)
    const message = `a PATCH can change ${contentFieldNames.join(', ')}; the body has none of them`
    expect(errorsOf(await patch({ titel: 'a', id: 1 }))).to.deep.equal([{ field: 'body', code: 'unknown', message }])
    for (const body of [{}, { titel: 'a', code: 'b' }]) expect((await patch(body)).status).to.equal(200)
  })

  describe('A body', () => {
    it('may have 256 KiB but no byte more', async () => {
      const text = JSON.stringify(valid())
      expect((await client().post(explicit, text.padEnd(262_144))).status).to.equal(201)
      expect((await client().post(generated, text.padEnd(262_145))).status).to.equal(413)
    })

    it('is checked before the id, the snippet and the preconditions', async () => {
      for (const { path } of families)
        for (const target of [`${path}abc/`, await deletedSnippet(path), await newTarget(path)])
          errorsOf(await client().put(target, { title: '' }, { 'If-Match': '"never"' }))
    })

    it('leaves the snippet unchanged when it is rejected', async () => {
      const before = await create()
      await client().patch(`${generated}${before.id}/`, { title: 'changed', code: '' })
      await client().put(`${generated}${before.id}/`, { ...bodyOf({ title: 'changed' }), language: undefined })
      expect(snippetOf(await client().get(`${explicit}${before.id}/`))).to.deep.equal(before)
    })
  })
}
