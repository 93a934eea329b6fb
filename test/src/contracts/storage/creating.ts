import { notFound } from '@snippets/domain/errors.js'
import { anyRevision } from '@snippets/domain/revision.js'
import { contentFieldNames, contentFields } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { anId, changes, draft, must } from '../../support/snippets.js'
import { openForSuite } from './open-storage.js'
import type { StorageHarness } from './storage-contract.js'

export const creatingContract = (harness: StorageHarness): void => {
  describe('create and get', () => {
    const storage = openForSuite(harness)

    it('store a draft as version 1, and read it back', async () => {
      const content = draft({ title: 't', code: 'c', language: 'l', created_at: 1_750_000_000_123 })
      const created = must(await storage().snippets.create(content)())
      expect(created).to.deep.equal({ ...content, id: created.id, version: 1 })
      expect(await storage().snippets.get(created.id)()).to.deep.equal(right(created))
    })

    it('keep created_at to the millisecond', async () => {
      for (const created_at of [0, 1, 999, 1_750_000_000_001, 253_402_300_799_999]) {
        const { id } = must(await storage().snippets.create(draft({ created_at }))())
        expect(must(await storage().snippets.get(id)()).created_at).to.equal(created_at)
      }
    })

    for (const [name, text] of Object.entries(unusualTexts)) {
      it(`keep text unchanged, as update does: ${name}`, async () => {
        const content = everyField(() => text)
        const created = must(await storage().snippets.create(draft(content))())
        expect(created).to.include(content)
        expect(must(await storage().snippets.get(created.id)())).to.include(content)

        const other = must(await storage().snippets.create(draft())())
        expect(must(await storage().snippets.update(other.id, changes(content), anyRevision)())).to.include(content)
        expect(must(await storage().snippets.get(other.id)())).to.include(content)
      })
    }

    it('keep texts of the maximum length', async () => {
      for (const character of ['x', '😀']) {
        const content = everyField(field => character.repeat(contentFields[field].limits.max))
        const { id } = must(await storage().snippets.create(draft(content))())
        expect(must(await storage().snippets.get(id)())).to.include(content)
      }
    })

    it('find nothing under an id that was never assigned', async () => {
      const id = anId(1_000_000n)
      expect(await storage().snippets.get(id)()).to.deep.equal(left(notFound))
      expect(await storage().snippets.update(id, changes({ title: 'x' }), anyRevision)()).to.deep.equal(left(notFound))
      expect(await storage().snippets.delete(id, anyRevision)()).to.deep.equal(left(notFound))
      expect(await storage().snippets.get(id)()).to.deep.equal(left(notFound))
    })
  })
}

const everyField = (textOf: (field: keyof typeof contentFields) => string) =>
  Object.fromEntries(contentFieldNames.map(field => [field, textOf(field)]))

const unusualTexts = {
  'white space at both ends': ' \t\r\n both \u3000\u00a0\n',
  'a single space': ' ',
  'a NUL': 'a\u0000b\u0000',
  'control characters': '\u0001\u001f\u007f\u0085\u2028',
  emoji: '👩‍👩‍👧‍👦 👍🏽 🏴󠁧󠁢󠁳󠁣󠁴󠁿',
  'a combining mark and its composed form': 'e\u0301 \u00e9',
  'letters that case folding changes': 'ßẞIıİſK',
  'code points at the ends of the planes': '\ud7ff\ue000\uffff\u{10000}\u{10ffff}',
  'right-to-left text and a byte order mark': '\ufeffשלום \u202eabc',
  'operators and paths': '$set.$[].a.b.0 {"$ne":1}',
  'the name of a built-in property': '__proto__',
}
