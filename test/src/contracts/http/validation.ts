import { expect } from 'chai'
import type { Answer } from '../../support/http/raw-http.js'
import { problemOf, type ShownError, snippetOf } from '../../support/http/representations.js'
import { families, generated, type Workspace } from './workspace.js'

const bounds = { title: 100, code: 10_000, language: 50 } as const
const fields = ['title', 'code', 'language'] as const
type Field = (typeof fields)[number]

const json = 'application/json'

const lengthMessage = (field: Field): string => `${field} must be between 1 and ${bounds[field]} characters`

const errorsOf = (answer: Answer): readonly ShownError[] => {
  expect(answer.status).to.equal(400)
  const { errors } = problemOf(answer)
  expect(errors).to.be.an('array')
  return errors ?? []
}

/** The rules for request bodies, on every method that takes one. */
export const validation = ({ client, create, marker, deletedSnippet }: Workspace): void => {
  const wholeBodies = families.flatMap(({ path }) => [
    { request: `POST ${path}`, send: (body: unknown) => client().post(path, body) },
    {
      request: `PUT ${path}{id}/`,
      send: async (body: unknown) => client().put(`${path}${(await create()).id}/`, body),
    },
  ])
  const patch = {
    request: `PATCH ${generated}{id}/`,
    send: async (body: unknown) => client().patch(`${generated}${(await create()).id}/`, body),
  }

  for (const { request, send } of wholeBodies) {
    describe(request, () => {
      it('requires every field, and names all that are missing', async () => {
        const errors = errorsOf(await send({}))
        expect(errors.map(({ field, code }) => ({ field, code }))).to.deep.equal(
          fields.map(field => ({ field, code: 'required' })),
        )
        for (const { field, message } of errors) expect(message.startsWith(`${field} `)).to.equal(true)
      })

      it('names several faults in the order of the fields', async () => {
        const errors = errorsOf(await send({ language: '', title: 7, code: 'x'.repeat(10_001) }))
        expect(errors.map(({ field, code }) => [field, code])).to.deep.equal([
          ['title', 'type'],
          ['code', 'length'],
          ['language', 'length'],
        ])
        expect(errors[1]?.message).to.equal(lengthMessage('code'))
        expect(errors[2]?.message).to.equal(lengthMessage('language'))
      })
    })
  }

  for (const { request, send } of [...wholeBodies, patch]) {
    for (const field of fields) {
      const whole = () => ({ title: marker(), code: 'some code', language: marker() })

      describe(`${field} in ${request}`, () => {
        for (const [what, value] of [
          ['be empty', ''],
          [`have ${bounds[field] + 1} characters`, 'x'.repeat(bounds[field] + 1)],
          [`have ${bounds[field] + 1} emoji`, '😀'.repeat(bounds[field] + 1)],
        ] as const)
          it(`must not ${what}`, async () => {
            const errors = errorsOf(await send({ ...whole(), [field]: value }))
            expect(errors).to.deep.equal([{ field, code: 'length', message: lengthMessage(field) }])
          })

        for (const [what, value] of [
          ['one emoji', '😀'],
          [`${bounds[field]} characters`, 'x'.repeat(bounds[field])],
          [`${bounds[field]} emoji`, '😀'.repeat(bounds[field])],
        ] as const)
          it(`may have ${what}`, async () => {
            const answer = await send({ ...whole(), [field]: value })
            expect(answer.status).to.be.oneOf([200, 201])
            expect(snippetOf(answer)[field]).to.equal(value)
          })

        for (const [what, value] of [
          ['null', null],
          ['a number', 1],
          ['a boolean', true],
          ['an array', ['x']],
          ['an object', { $ne: 'x' }],
        ] as const)
          it(`must not be ${what}`, async () => {
            const errors = errorsOf(await send({ ...whole(), [field]: value }))
            expect(errors.map(({ field, code }) => [field, code])).to.deep.equal([[field, 'type']])
          })

        it('must not contain a lone surrogate', async () => {
          const text = JSON.stringify({ ...whole(), [field]: 'HALF' }).replace('HALF', 'a\\ud83db')
          const errors = errorsOf(await send(text))
          expect(errors.map(error => error.field)).to.deep.equal([field])
        })
      })
    }
  }

  describe('Validation', () => {
    for (const { path } of families)
      it(`precedes the lookup on ${path}{id}/`, async () => {
        errorsOf(await client().put(await deletedSnippet(path), { title: '' }))
        errorsOf(await client().put(`${path}abc/`, { title: '' }))
      })

    it('precedes the preconditions', async () => {
      const { id } = await create()
      errorsOf(await client().put(`${generated}${id}/`, {}, { 'If-Match': '"never"' }))
    })

    it('leaves the snippet unchanged when it fails', async () => {
      const before = await create()
      await client().patch(`${generated}${before.id}/`, { title: 'changed', code: '' })
      await client().put(`${generated}${before.id}/`, { title: 'changed', code: 'changed' })
      expect(snippetOf(await client().get(`${generated}${before.id}/`))).to.deep.equal(before)
    })

    for (const [what, body] of [
      ['null', 'null'],
      ['an array', '[]'],
      ['a string', '"title"'],
      ['a number', '1'],
      ['empty', ''],
      ['whitespace', ' \r\n'],
      ['broken JSON', '{"title":"t",}'],
    ] as const)
      it(`rejects a body that is ${what}`, async () => {
        for (const { path } of families) expect((await client().post(path, body)).status).to.equal(400)
        const { id } = await create()
        for (const { path } of families) expect((await client().put(`${path}${id}/`, body)).status).to.equal(400)
        expect((await client().patch(`${generated}${id}/`, body)).status).to.equal(400)
      })
  })

  const validBody = () => JSON.stringify({ title: 't', code: 'c', language: marker() })

  describe('The Content-Type of a body', () => {
    for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])
      it(`may be ${type}`, async () => {
        for (const { path } of families)
          expect((await client().post(path, validBody(), { 'Content-Type': type })).status).to.equal(201)
      })

    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json; charset=utf-16',
      'application/merge-patch+json',
    ])
      it(`must not be ${type}`, async () => {
        const { id } = await create()
        for (const { path } of families) {
          expect((await client().post(path, validBody(), { 'Content-Type': type })).status).to.equal(415)
          expect((await client().put(`${path}${id}/`, validBody(), { 'Content-Type': type })).status).to.equal(415)
        }
      })

    it('is required', async () => {
      for (const { path } of families)
        expect((await client().ask({ method: 'POST', target: path, body: validBody() })).status).to.equal(415)
    })

    it('is refused with the types that the method takes', async () => {
      const { id } = await create()
      const headers = { 'Content-Type': 'text/plain' }
      for (const { path } of families) {
        const detail = `${path}${id}/`
        expect((await client().post(path, validBody(), headers)).headers).to.include({ 'accept-post': json })
        expect((await client().put(detail, validBody(), headers)).headers).to.include({ accept: json })
      }
      const patched = await client().patch(`${generated}${id}/`, validBody(), headers)
      expect(patched.headers).to.include({ 'accept-patch': `${json}, application/merge-patch+json` })
    })
  })

  describe('The Content-Encoding of a body', () => {
    for (const encoding of ['gzip', 'br', 'identity'])
      it(`must not be ${encoding}`, async () => {
        for (const { path } of families)
          expect((await client().post(path, validBody(), { 'Content-Encoding': encoding })).status).to.equal(415)
      })

    it('is refused with the encoding that is taken', async () => {
      const answer = await client().post(generated, validBody(), { 'Content-Encoding': 'gzip' })
      expect(answer.headers).to.include({ 'accept-encoding': 'identity' })
    })
  })

  const bodyOf = (bytes: number): string => {
    const text = validBody()
    return text + ' '.repeat(bytes - text.length)
  }

  for (const { path } of families) {
    describe(`The body of a POST ${path}`, () => {
      it('may have 256 KiB', async () => {
        expect((await client().post(path, bodyOf(262_144))).status).to.equal(201)
      })
      it('must not have one byte more', async () => {
        expect((await client().post(path, bodyOf(262_145))).status).to.equal(413)
      })
    })
  }
}
