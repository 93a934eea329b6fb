import { contentFieldNames, contentFields, firstVersion } from '@snippets/domain/entities/snippet.js'
import { notFound } from '@snippets/domain/ports/errors.js'
import { makeRecord } from '@snippets/domain/values/record.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { anId, anyRevision, changes, draft, must, now } from '../../support/snippets.js'
import { openForSuite } from '../../support/storage/open-storage.js'
import type { StorageHarness } from './storage-contract.js'

export const oneSnippetContract = (harness: StorageHarness): void => {
  describe('create, get, update and delete', () => {
    const storage = openForSuite(harness)
    const create = async (content = draft()) => must(await storage().snippets.create(content)())

    it('store a draft as version 1, with its time to the millisecond, and read it back', async () => {
      for (const created_at of [0, 1_750_000_000_123, 253_402_300_799_999]) {
        const content = draft({ created_at })
        const created = await create(content)
        expect(created).to.deep.equal(firstVersion(created.id, content))
        expect(await storage().snippets.get(created.id)()).to.deep.equal(right(created))
      }
    })

    it('keep texts unchanged', async () => {
      for (const content of unusualContents) {
        const created = await create(draft(content))
        expect(created).to.include(content)
        expect(must(await storage().snippets.get(created.id)())).to.include(content)
        const { id } = await create()
        expect(must(await storage().snippets.update(id, changes(content), anyRevision, now)())).to.include(content)
        expect(must(await storage().snippets.get(id)())).to.include(content)
      }
    })

    it('change the named fields only, and increase the version even without a named field', async () => {
      for (const given of [{ title: 'new' }, { code: 'new', language: 'new' }, { title: 'old' }, {}]) {
        const named = changes(given)
        const before = await create(draft({ title: 'old', created_at: 5 }))
        const after = right({ ...before, ...named, version: 2 })
        expect(await storage().snippets.update(before.id, named, anyRevision, now)()).to.deep.equal(after)
        expect(await storage().snippets.get(before.id)()).to.deep.equal(after)
      }
    })

    it('return NotFound for a deleted snippet and for an unknown id', async () => {
      const { snippets } = storage()
      const { id } = await create()
      must(await snippets.get(id)())
      must(await snippets.delete(id, anyRevision)())
      for (const missing of [id, anId(1_000_000n)]) {
        const update = snippets.update(missing, changes({ title: 'x' }), anyRevision, now)
        for (const operation of [update, snippets.delete(missing, anyRevision), snippets.get(missing)])
          expect(await operation()).to.deep.equal(left(notFound))
      }
    })
  })
}

const unusualContents = [
  ...[
    ' \t\r\n white space \u3000\u00a0\n',
    'NUL \u0000 and control characters \u0001\u001f\u007f\u0085\u2028\u0000',
    'a combining mark e\u0301 and its composed form \u00e9',
    'the ends of the planes \ud7ff\ue000\uffff\u{10000}\u{10ffff}',
    '\ufeffשלום \u202eabc',
    '$set.$[].a.b.0 {"$ne":1}',
    '__proto__',
  ].map(text => makeRecord(contentFieldNames, () => text)),
  ...['x', '😀', '\0'].map(character =>
    makeRecord(contentFieldNames, field => character.repeat(contentFields[field].limits.max)),
  ),
]
