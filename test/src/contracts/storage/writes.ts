import { notFound, stale, type WriteError } from '@snippets/domain/errors.js'
import { limits, textFields } from '@snippets/domain/rules.js'
import type { Revision, Snippet } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { anId, changes, draft, must } from '../../support/snippets.js'
import { openedOnce } from './opened.js'
import type { StorageHarness } from './storage-contract.js'

const unusualTexts = {
  'white space at both ends': ' \t\r\n both \u3000\u00a0\n',
  'nothing but a space': ' ',
  'a NUL': 'a\u0000b\u0000',
  'control characters': '\u0001\u001f\u007f\u0085\u2028',
  emoji: '👩‍👩‍👧‍👦 👍🏽 🏴󠁧󠁢󠁳󠁣󠁴󠁿',
  'a combining mark and its composed form': 'e\u0301 \u00e9',
  'letters that other letters fold to': 'ßẞIıİſK',
  'the last code points of both planes': '\ud7ff\ue000\uffff\u{10000}\u{10ffff}',
  'right-to-left text and a byte order mark': '\ufeffשלום \u202eabc',
  'operators and paths': '$set.$[].a.b.0 {"$ne":1}',
  'the name of a built-in property': '__proto__',
}

const longest = (character: string) => ({
  title: character.repeat(limits.title.max),
  code: character.repeat(limits.code.max),
  language: character.repeat(limits.language.max),
})

export const writesContract = (harness: StorageHarness): void => {
  describe('stores', () => {
    const storage = openedOnce(harness, {})

    it('a draft as version 1, and gives it back', async () => {
      const content = draft({ title: 't', code: 'c', language: 'l', created_at: 1_750_000_000_123 })
      const created = must(await storage().snippets.create(content)())
      expect(created).to.deep.equal({ ...content, id: created.id, version: 1 })
      expect(await storage().snippets.get(created.id)()).to.deep.equal(right(created))
    })

    it('each moment to the millisecond', async () => {
      for (const created_at of [0, 1, 999, 1_750_000_000_001, 253_402_300_799_999]) {
        const { id } = must(await storage().snippets.create(draft({ created_at }))())
        expect(must(await storage().snippets.get(id)()).created_at).to.equal(created_at)
      }
    })

    for (const [name, text] of Object.entries(unusualTexts)) {
      it(`text as it is: ${name}`, async () => {
        const content = { title: text, code: text, language: text }
        const created = must(await storage().snippets.create(draft(content))())
        expect(created).to.include(content)
        expect(must(await storage().snippets.get(created.id)())).to.include(content)

        const other = must(await storage().snippets.create(draft())())
        expect(must(await storage().snippets.update(other.id, changes(content), none)())).to.include(content)
        expect(must(await storage().snippets.get(other.id)())).to.include(content)
      })
    }

    it('texts of the greatest length', async () => {
      for (const content of [longest('x'), longest('😀')]) {
        const { id } = must(await storage().snippets.create(draft(content))())
        expect(must(await storage().snippets.get(id)())).to.include(content)
      }
    })

    it('nothing under an id that it never handed out', async () => {
      const id = anId(1_000_000n)
      expect(await storage().snippets.get(id)()).to.deep.equal(left(notFound))
      expect(await storage().snippets.update(id, changes({ title: 'x' }), none)()).to.deep.equal(left(notFound))
      expect(await storage().snippets.delete(id, none)()).to.deep.equal(left(notFound))
      expect(await storage().snippets.get(id)()).to.deep.equal(left(notFound))
    })
  })

  describe('updates', () => {
    const storage = openedOnce(harness, {})
    const create = async () => must(await storage().snippets.create(draft({ created_at: 5 }))())
    const content = { title: 'new title', code: 'new code', language: 'new language' }

    for (let chosen = 0; chosen < 2 ** textFields.length; chosen++) {
      const fields = textFields.filter((_, i) => chosen & (1 << i))
      it(`${fields.join(' and ') || 'nothing'}, keeps the rest, and adds 1 to the version`, async () => {
        const before = await create()
        const named = changes(Object.fromEntries(fields.map(field => [field, content[field]])))
        const after = { ...before, ...named, version: 2 }
        expect(await storage().snippets.update(before.id, named, none)()).to.deep.equal(right(after))
        expect(await storage().snippets.get(before.id)()).to.deep.equal(right(after))
      })
    }

    it('to the same text as a new version too', async () => {
      const before = await create()
      const { title, code, language } = before
      const after = { ...before, version: 2 }
      expect(await storage().snippets.update(before.id, { title, code, language }, none)()).to.deep.equal(right(after))
    })

    it('one snippet and no other', async () => {
      const [one, other] = [await create(), await create()]
      must(await storage().snippets.update(one.id, changes(content), none)())
      expect(await storage().snippets.get(other.id)()).to.deep.equal(right(other))
    })
  })

  describe('deletes', () => {
    const storage = openedOnce(harness, {})
    const create = async () => must(await storage().snippets.create(draft())())

    it('once', async () => {
      const { id } = await create()
      expect(await storage().snippets.delete(id, none)()).to.deep.equal(right(undefined))
      expect(await storage().snippets.delete(id, none)()).to.deep.equal(left(notFound))
      expect(await storage().snippets.get(id)()).to.deep.equal(left(notFound))
      expect(await storage().snippets.update(id, changes({ title: 'x' }), none)()).to.deep.equal(left(notFound))
    })

    it('one snippet and no other', async () => {
      const [one, other] = [await create(), await create()]
      must(await storage().snippets.delete(one.id, none)())
      expect(await storage().snippets.get(other.id)()).to.deep.equal(right(other))
    })
  })

  describe('expects a revision:', () => {
    const storage = openedOnce(harness, {})
    /** In version 3, so that earlier and later versions can be expected. */
    const create = async (): Promise<Snippet> => {
      const { id } = must(await storage().snippets.create(draft({ created_at: 1_750_000_000_000 }))())
      must(await storage().snippets.update(id, {}, none)())
      return must(await storage().snippets.update(id, {}, none)())
    }
    type Write = (snippet: Pick<Snippet, 'id'>, expected: readonly Revision[]) => Promise<Either<WriteError, unknown>>
    const writes: Readonly<Record<string, Write>> = {
      'an update': (snippet, expected) =>
        storage().snippets.update(snippet.id, changes({ title: 'new' }), some(expected))(),
      'a delete': (snippet, expected) => storage().snippets.delete(snippet.id, some(expected))(),
    }
    const revision = ({ version, created_at }: Revision): Revision => ({ version, created_at })
    const others: Readonly<Record<string, (snippet: Snippet) => readonly Revision[]>> = {
      'of no revisions': () => [],
      'of an earlier version': ({ created_at }) => [{ version: 2, created_at }],
      'of a later version': ({ created_at }) => [{ version: 4, created_at }],
      'of the same version, created at another moment': ({ version, created_at }) => [
        { version, created_at: created_at + 1 },
      ],
      'of several revisions that each agree in part': ({ version, created_at }) => [
        { version: version - 1, created_at },
        { version, created_at: created_at - 1 },
      ],
    }

    for (const [name, write] of Object.entries(writes)) {
      it(`${name} of the revision that is stored is made`, async () => {
        const snippet = await create()
        must(await write(snippet, [revision(snippet)]))
        const now = await storage().snippets.get(snippet.id)()
        expect(now).to.deep.equal(
          name === 'a delete' ? left(notFound) : right({ ...snippet, title: 'new', version: 4 }),
        )
      })

      it(`${name} of one of several revisions is made`, async () => {
        const snippet = await create()
        const { created_at } = snippet
        must(await write(snippet, [{ version: 1, created_at }, revision(snippet), { version: 9, created_at }]))
        expect(await storage().snippets.get(snippet.id)()).to.not.deep.equal(right(snippet))
      })

      for (const [what, expected] of Object.entries(others)) {
        it(`${name} ${what} is Stale, and nothing is written`, async () => {
          const snippet = await create()
          expect(await write(snippet, expected(snippet))).to.deep.equal(left(stale))
          expect(await storage().snippets.get(snippet.id)()).to.deep.equal(right(snippet))
        })
      }

      it(`${name} of what is not there is NotFound, whatever is expected`, async () => {
        const snippet = await create()
        must(await storage().snippets.delete(snippet.id, none)())
        for (const id of [snippet.id, anId(1_000_000n)]) {
          expect(await write({ id }, [revision(snippet)])).to.deep.equal(left(notFound))
          expect(await write({ id }, [])).to.deep.equal(left(notFound))
        }
      })
    }
  })
}
