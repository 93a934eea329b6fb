import { notFound, stale, type UpdateError } from '@snippets/domain/errors.js'
import { anyRevision, type Expectation, except, noRevision, oneOf, type Revision } from '@snippets/domain/revision.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { anId, changes, draft, must } from '../../support/snippets.js'
import { openForSuite } from './open-storage.js'
import type { OpenStorage, StorageHarness } from './storage-contract.js'

export const expectationsContract = (harness: StorageHarness): void => {
  for (const [name, write] of Object.entries(writes)) {
    describe(`a conditional ${name}`, () => {
      const storage = openForSuite(harness)
      const get = ({ id }: Snippet) => storage().snippets.get(id)()

      it('is made when the snippet is in the expected revision', async () => {
        const snippet = await createVersion3(storage())
        must(await write(storage(), snippet, oneOf([revisionOf(snippet)])))
        const written = right({ ...snippet, title: 'new', version: 4 })
        expect(await get(snippet)).to.deep.equal(name === 'delete' ? left(notFound) : written)
      })

      it('is made when the snippet is in one of the expected revisions', async () => {
        const snippet = await createVersion3(storage())
        const { created_at } = snippet
        const expected = oneOf([{ version: 1, created_at }, revisionOf(snippet), { version: 9, created_at }])
        must(await write(storage(), snippet, expected))
        expect(await get(snippet)).to.not.deep.equal(right(snippet))
      })

      it('is made when the snippet is in none of the excluded revisions', async () => {
        const snippet = await createVersion3(storage())
        const { version, created_at } = snippet
        const excluded = [
          { version: version - 1, created_at },
          { version, created_at: created_at + 1 },
        ]
        must(await write(storage(), snippet, except(anyRevision, excluded)))
        expect(await get(snippet)).to.not.deep.equal(right(snippet))
      })

      for (const [what, expectationFor] of Object.entries(unmet)) {
        it(`is Stale and writes nothing when it expects ${what}`, async () => {
          const snippet = await createVersion3(storage())
          expect(await write(storage(), snippet, expectationFor(snippet))).to.deep.equal(left(stale))
          expect(await get(snippet)).to.deep.equal(right(snippet))
        })
      }

      it('is NotFound when there is no such snippet, whatever it expects', async () => {
        const snippet = await createVersion3(storage())
        must(await storage().snippets.delete(snippet.id, anyRevision)())
        for (const id of [snippet.id, anId(1_000_000n)]) {
          expect(await write(storage(), { id }, oneOf([revisionOf(snippet)]))).to.deep.equal(left(notFound))
          expect(await write(storage(), { id }, noRevision)).to.deep.equal(left(notFound))
        }
      })
    })
  }
}

type Write = (
  storage: OpenStorage,
  snippet: Pick<Snippet, 'id'>,
  expected: Expectation,
) => Promise<Either<UpdateError, unknown>>

const writes: Readonly<Record<string, Write>> = {
  update: ({ snippets }, { id }, expected) => snippets.update(id, changes({ title: 'new' }), expected)(),
  delete: ({ snippets }, { id }, expected) => snippets.delete(id, expected)(),
}

/** So that earlier and later versions can be expected. */
const createVersion3 = async ({ snippets }: OpenStorage): Promise<Snippet> => {
  const { id } = must(await snippets.create(draft({ created_at: 1_750_000_000_000 }))())
  must(await snippets.update(id, {}, anyRevision)())
  return must(await snippets.update(id, {}, anyRevision)())
}

const revisionOf = ({ version, created_at }: Revision): Revision => ({ version, created_at })

const unmet: Readonly<Record<string, (snippet: Snippet) => Expectation>> = {
  'no revision': () => noRevision,
  'any revision but the one it is in': snippet =>
    except(anyRevision, [{ version: 9, created_at: 0 }, revisionOf(snippet)]),
  'an earlier version': ({ created_at }) => oneOf([{ version: 2, created_at }]),
  'a later version': ({ created_at }) => oneOf([{ version: 4, created_at }]),
  'the same version, created at another time': ({ version, created_at }) =>
    oneOf([{ version, created_at: created_at + 1 }]),
  'several revisions that each match only in part': ({ version, created_at }) =>
    oneOf([
      { version: version - 1, created_at },
      { version, created_at: created_at - 1 },
    ]),
}
