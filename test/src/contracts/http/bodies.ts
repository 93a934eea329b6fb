import { contentFieldNames } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import { snippetOf } from '../../support/http/representations.js'
import { bodyOf } from '../../support/samples.js'
import { errorsOf, explicit, families, generated, type Sandbox } from './sandbox.js'

const json = 'application/json'
const mergePatch = 'application/merge-patch+json'

/** Tests request bodies on every method that has one. The tests of the domain cover the limits of fields. */
export const bodies = ({ client, create, marker, deletedSnippet }: Sandbox): void => {
  const whole = () => bodyOf({ title: marker(), language: marker() })
  const post = (path: string) => ({
    request: `POST ${path}`,
    header: 'accept-post',
    types: json,
    send: (body: unknown, headers?: Readonly<Record<string, string>>) => client().post(path, body, headers),
  })
  const put = (path: string) => ({
    request: `PUT ${path}{id}/`,
    header: 'accept',
    types: json,
    send: async (body: unknown, headers?: Readonly<Record<string, string>>) =>
      client().put(`${path}${(await create()).id}/`, body, headers),
  })
  const patch = {
    request: `PATCH ${generated}{id}/`,
    header: 'accept-patch',
    types: `${json}, ${mergePatch}`,
    send: async (body: unknown, headers?: Readonly<Record<string, string>>) =>
      client().patch(`${generated}${(await create()).id}/`, body, headers),
  }
  const requiringAllFields = families.flatMap(({ path }) => [post(path), put(path)])

  for (const { request, header, types, send } of [...requiringAllFields, patch]) {
    describe(`A ${request}`, () => {
      it('returns 400 with all errors at once, in the order of the fields', async () => {
        expect(
          errorsOf(await send({ ...bodyOf(), language: '', code: 'x'.repeat(10_001), title: null })),
        ).to.deep.equal([
          { field: 'title', code: 'type', message: 'title must be a string' },
          { field: 'code', code: 'length', message: 'code must be between 1 and 10000 characters' },
          { field: 'language', code: 'length', message: 'language must be between 1 and 50 characters' },
        ])
      })

      it('returns 415 with the accepted types for another type, charset or encoding', async () => {
        for (const type of ['text/plain', `${json}; charset=utf-16`]) {
          const response = await send(whole(), { 'Content-Type': type })
          expect(response.status).to.equal(415)
          expect(response.headers[header]).to.equal(types)
        }
        const encoded = await send(whole(), { 'Content-Encoding': 'gzip' })
        expect(encoded.status).to.equal(415)
        expect(encoded.headers['accept-encoding']).to.equal('identity')
      })

      it(`accepts ${types}, with or without charset=utf-8`, async () => {
        for (const type of types.split(', '))
          for (const charset of ['', ';charset="UTF-8"'])
            expect((await send(whole(), { 'Content-Type': type + charset })).status).to.be.oneOf([200, 201])
      })
    })
  }

  for (const { request, send } of requiringAllFields)
    it(`A ${request} requires every field`, async () => {
      expect(errorsOf(await send({}))).to.deep.equal(
        contentFieldNames.map(field => ({ field, code: 'required', message: `${field} is required` })),
      )
      expect((await send(whole(), { 'Content-Type': mergePatch })).status).to.equal(415)
    })

  describe(`A ${patch.request}`, () => {
    it('is rejected without a field that it can change, unless the object is empty', async () => {
      const known = `a PATCH can change ${contentFieldNames.join(', ')}, but not`
      expect(errorsOf(await patch.send({ titel: 'a', id: 1 }))).to.deep.equal([
        { field: 'titel', code: 'unknown', message: `${known} titel; did you mean title?` },
        { field: 'id', code: 'unknown', message: `${known} id` },
      ])
      for (const body of [{}, { titel: 'a', code: 'b' }]) expect((await patch.send(body)).status).to.equal(200)
    })

    it('gets at most ten errors for thousands of unknown fields', async () => {
      const fields = Array.from({ length: 5000 }, (_, i) => [`x${i}`.padEnd(i === 0 ? 500 : 0, '😀'), 1])
      const errors = errorsOf(await patch.send(Object.fromEntries(fields)))
      expect(errors).to.have.length(10)
      expect(errors[0]?.field).to.have.length(41)
    })
  })

  describe('A body', () => {
    it('may have 256 KiB but no byte more', async () => {
      const text = JSON.stringify(whole())
      for (const { path } of families) {
        expect((await client().post(path, text.padEnd(262_144))).status).to.equal(201)
        expect((await client().post(path, text.padEnd(262_145))).status).to.equal(413)
      }
    })

    it('is checked before the id, the snippet and the preconditions', async () => {
      for (const { path } of families)
        for (const target of [`${path}abc/`, await deletedSnippet(path), `${path}${(await create()).id}/`])
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
