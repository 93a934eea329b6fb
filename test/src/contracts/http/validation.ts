import { expect } from 'chai'
import type { Answer } from '../../support/http/raw-http.js'
import { problemOf, type ShownError, snippetOf } from '../../support/http/representations.js'
import { families, generated, type Workspace } from './workspace.js'

const bounds = { title: 100, code: 10_000, language: 50 } as const
const fields = ['title', 'code', 'language'] as const
type Field = (typeof fields)[number]

const lengthMessage = (field: Field): string => `${field} must be between 1 and ${bounds[field]} characters`

const errorsOf = (answer: Answer): readonly ShownError[] => {
  expect(answer.status).to.equal(400)
  const { errors } = problemOf(answer)
  expect(errors).to.be.an('array')
  return errors ?? []
}

/** The rules of a body, by every way that a body can come in. */
export const validation = ({ client, create, marker, vanished }: Workspace): void => {
  const ways = families.flatMap(({ family, path }) => [
    { way: `POST in the ${family} family`, send: (body: unknown) => client().post(path, body) },
    {
      way: `PUT in the ${family} family`,
      send: async (body: unknown) => client().put(`${path}${(await create()).id}/`, body),
    },
  ])
  const patch = {
    way: 'PATCH',
    send: async (body: unknown) => client().patch(`${generated}${(await create()).id}/`, body),
  }

  for (const { way, send } of ways) {
    describe(`the body of a ${way}`, () => {
      it('must have every field, and all faults are named at once', async () => {
        const errors = errorsOf(await send({}))
        expect(errors.map(({ field, code }) => ({ field, code }))).to.deep.equal(
          fields.map(field => ({ field, code: 'required' })),
        )
        for (const { field, message } of errors) expect(message.startsWith(`${field} `)).to.equal(true)
      })

      it('has each fault of several in the order of the fields', async () => {
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

  for (const { way, send } of [...ways, patch]) {
    for (const field of fields) {
      const whole = () => ({ title: marker(), code: 'some code', language: marker() })

      describe(`${field} in a ${way}`, () => {
        for (const [what, value] of [
          ['empty', ''],
          [`of ${bounds[field] + 1} characters`, 'x'.repeat(bounds[field] + 1)],
          [`of ${bounds[field] + 1} characters outside the basic plane`, '😀'.repeat(bounds[field] + 1)],
        ] as const)
          it(`is refused when ${what}`, async () => {
            const errors = errorsOf(await send({ ...whole(), [field]: value }))
            expect(errors).to.deep.equal([{ field, code: 'length', message: lengthMessage(field) }])
          })

        for (const [what, value] of [
          ['one character', '😀'],
          [`${bounds[field]} characters`, 'x'.repeat(bounds[field])],
          [`${bounds[field]} characters outside the basic plane`, '😀'.repeat(bounds[field])],
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
          ['a list', ['x']],
          ['an object', { $ne: 'x' }],
        ] as const)
          it(`must not be ${what}`, async () => {
            const errors = errorsOf(await send({ ...whole(), [field]: value }))
            expect(errors.map(({ field, code }) => [field, code])).to.deep.equal([[field, 'type']])
          })

        it('must not hold half of a surrogate pair', async () => {
          const text = JSON.stringify({ ...whole(), [field]: 'HALF' }).replace('HALF', 'a\\ud83db')
          const errors = errorsOf(await send(text))
          expect(errors.map(error => error.field)).to.deep.equal([field])
        })
      })
    }
  }

  describe('validation', () => {
    for (const { family, path } of families)
      it(`goes before the look-up of the snippet in the ${family} family`, async () => {
        errorsOf(await client().put(await vanished(path), { title: '' }))
        errorsOf(await client().put(`${path}abc/`, { title: '' }))
      })

    it('goes before the preconditions', async () => {
      const { id } = await create()
      errorsOf(await client().put(`${generated}${id}/`, {}, { 'If-Match': '"never"' }))
    })

    it('leaves the snippet as it was', async () => {
      const before = await create()
      await client().patch(`${generated}${before.id}/`, { title: 'changed', code: '' })
      await client().put(`${generated}${before.id}/`, { title: 'changed', code: 'changed' })
      expect(snippetOf(await client().get(`${generated}${before.id}/`))).to.deep.equal(before)
    })

    for (const [what, body] of [
      ['null', 'null'],
      ['a list', '[]'],
      ['a text', '"title"'],
      ['a number', '1'],
      ['nothing', ''],
      ['white space', ' \r\n'],
      ['broken JSON', '{"title":"t",}'],
    ] as const)
      it(`refuses a body that is ${what}`, async () => {
        for (const { path } of families) expect((await client().post(path, body)).status).to.equal(400)
        const { id } = await create()
        for (const { path } of families) expect((await client().put(`${path}${id}/`, body)).status).to.equal(400)
        expect((await client().patch(`${generated}${id}/`, body)).status).to.equal(400)
      })
  })

  describe('the type of a body', () => {
    const good = () => JSON.stringify({ title: 't', code: 'c', language: marker() })

    for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])
      it(`may be ${type}`, async () => {
        for (const { path } of families)
          expect((await client().post(path, good(), { 'Content-Type': type })).status).to.equal(201)
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
          expect((await client().post(path, good(), { 'Content-Type': type })).status).to.equal(415)
          expect((await client().put(`${path}${id}/`, good(), { 'Content-Type': type })).status).to.equal(415)
        }
      })

    it('must be said', async () => {
      for (const { path } of families)
        expect((await client().ask({ method: 'POST', target: path, body: good() })).status).to.equal(415)
    })

    for (const encoding of ['gzip', 'br', 'identity'])
      it(`must not be behind a Content-Encoding of ${encoding}`, async () => {
        for (const { path } of families)
          expect((await client().post(path, good(), { 'Content-Encoding': encoding })).status).to.equal(415)
      })
  })

  describe('the size of a body', () => {
    const ofBytes = (size: number): string => {
      const text = JSON.stringify({ title: 't', code: 'c', language: marker() })
      return text + ' '.repeat(size - text.length)
    }

    for (const { family, path } of families) {
      it(`may be 256 KiB in the ${family} family`, async () => {
        expect((await client().post(path, ofBytes(262_144))).status).to.equal(201)
      })
      it(`must not be one byte more in the ${family} family`, async () => {
        expect((await client().post(path, ofBytes(262_145))).status).to.equal(413)
      })
    }
  })
}
