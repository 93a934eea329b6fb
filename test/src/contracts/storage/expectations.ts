import type { Expectation } from '@snippets/domain/entities/revision.js'
import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { notFound, stale, type UpdateError } from '@snippets/domain/ports/errors.js'
import { expect } from 'chai'
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { anyRevision, changes, draft, must, now } from '../../support/snippets.js'
import { openForSuite } from '../../support/storage/open-storage.js'
import type { OpenStorage, StorageHarness } from './storage-contract.js'

export const expectationsContract = (harness: StorageHarness): void => {
  for (const [name, write] of Object.entries(writes)) {
    describe(`a conditional ${name}`, () => {
      const storage = openForSuite(harness)
      const get = ({ id }: Snippet) => storage().snippets.get(id)()
      const createVersion2 = async (): Promise<Snippet> => {
        const { id } = must(await storage().snippets.create(draft({ created_at: 1_750_000_000_000 }))())
        return must(await storage().snippets.update(id, {}, anyRevision, now)())
      }

      for (const [what, expectationOf] of Object.entries(met))
        it(`is applied if it expects ${what}`, async () => {
          const snippet = await createVersion2()
          must(await write(storage(), snippet, expectationOf(snippet)))
          const written = right({ ...snippet, title: 'new', version: 3 })
          expect(await get(snippet)).to.deep.equal(name === 'delete' ? left(notFound) : written)
        })

      for (const [what, expectationOf] of Object.entries(unmet))
        it(`returns Stale and writes nothing if it expects ${what}`, async () => {
          const snippet = await createVersion2()
          expect(await write(storage(), snippet, expectationOf(snippet))).to.deep.equal(left(stale))
          expect(await get(snippet)).to.deep.equal(right(snippet))
        })

      it('returns NotFound with every expectation if the snippet does not exist', async () => {
        const snippet = await createVersion2()
        must(await storage().snippets.delete(snippet.id, anyRevision)())
        for (const [what, expectationOf] of Object.entries({ ...met, ...unmet }))
          expect(await write(storage(), snippet, expectationOf(snippet)), what).to.deep.equal(left(notFound))
      })
    })
  }
}

type Write = (storage: OpenStorage, snippet: Snippet, expected: Expectation) => Promise<Either<UpdateError, unknown>>

const writes: Readonly<Record<string, Write>> = {
  update: ({ snippets }, { id }, expected) => snippets.update(id, changes({ title: 'new' }), expected, now)(),
  delete: ({ snippets }, { id }, expected) => snippets.delete(id, expected)(),
}

type Expecting = Readonly<Record<string, (snippet: Snippet) => Expectation>>

/** Revisions that differ from the snippet in the version or in `created_at`. */
const others = ({ version, created_at }: Snippet) => [
  { version: version - 1, created_at },
  { version, created_at: created_at + 1 },
]

const met: Expecting = {
  'the current revision': ({ version, created_at }) => ({ oneOf: [{ version, created_at }] }),
  'one of several revisions': snippet => ({ oneOf: [...others(snippet), snippet] }),
  'any revision except some others': snippet => ({ noneOf: others(snippet) }),
  'one of several revisions, except some others': snippet => ({
    oneOf: [...others(snippet), snippet],
    noneOf: others(snippet),
  }),
}

const unmet: Expecting = {
  'no revision': () => ({ oneOf: [] }),
  'other revisions': snippet => ({ oneOf: others(snippet) }),
  'any revision except the current one': snippet => ({ noneOf: [...others(snippet), snippet] }),
  'one of several revisions, except the current one': snippet => ({
    oneOf: [...others(snippet), snippet],
    noneOf: [snippet],
  }),
}
