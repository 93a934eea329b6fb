import { contentFields } from '@snippets/domain/entities/snippet.js'
import { notFound, type StorageError, stale } from '@snippets/domain/ports/errors.js'
import { expect } from 'chai'
import { type Either, isRight, left, right } from 'fp-ts/lib/Either.js'
import { anyRevision, changes, draft, must, now } from '../../support/snippets.js'
import { openForSuite } from '../../support/storage/open-storage.js'
import type { StorageHarness } from './storage-contract.js'

const many = 20
/** The first round may run on a single connection, because the others are not open yet. */
const rounds = 10

const isUnapplied = (error: StorageError): boolean => error._tag === 'Unavailable' && error.outcome === 'unapplied'

export const concurrencyContract = (harness: StorageHarness): void => {
  const maxAttempts = harness.mayBeBusy ? 5 : 1
  /** Repeats an operation that a busy database did not begin. */
  const attempt = async <Err extends StorageError, A>(operation: () => Promise<Either<Err, A>>) => {
    for (let attempts = 1; ; attempts++) {
      const result = await operation()
      if (attempts === maxAttempts || isRight(result) || !isUnapplied(result.left)) return result
    }
  }
  const manyAtOnce = <Err extends StorageError, A>(operation: (i: number) => Promise<Either<Err, A>>) =>
    Promise.all(Array.from({ length: many }, (_, i) => attempt(() => operation(i))))

  describe('concurrent operations', () => {
    const storage = openForSuite(harness)
    const create = async () => must(await storage().snippets.create(draft())())

    it('apply exactly one of several updates that expect the same revision', async () => {
      for (let round = 0; round < rounds; round++) {
        const snippet = await create()
        const results = await manyAtOnce(i =>
          storage().snippets.update(snippet.id, changes({ title: `by ${i}` }), { oneOf: [snippet] }, now)(),
        )
        const won = results.filter(isRight)
        expect(won).to.have.length(1)
        expect(results.filter(result => !isRight(result))).to.deep.equal(Array(many - 1).fill(left(stale)))
        expect(await storage().snippets.get(snippet.id)()).to.deep.equal(won[0])
      }
    })

    it('store every creation of the maximal size, with and without a key', async () => {
      const { snippets } = storage()
      // in JSON, U+0000 takes the most bytes
      const largest = draft({ code: '\0'.repeat(contentFields.code.limits.max) })
      const created = await Promise.all(
        Array.from({ length: 40 }, async (_, i) => [
          must(await attempt(snippets.create(largest))),
          must(await attempt(snippets.createOnce(largest, { key: `key ${i}`, fingerprint: 'f' }))).item,
        ]),
      )
      for (const snippet of created.flat()) expect(await snippets.get(snippet.id)()).to.deep.equal(right(snippet))
    })

    it('apply every update that expects any revision', async () => {
      const { id } = await create()
      const results = await manyAtOnce(i =>
        storage().snippets.update(id, changes({ [i % 2 === 0 ? 'title' : 'language']: `by ${i}` }), anyRevision, now)(),
      )
      const written = results.map(must).sort((a, b) => a.version - b.version)
      expect(written.map(({ version }) => version)).to.deep.equal(Array.from({ length: many }, (_, i) => i + 2))
      const last = must(await storage().snippets.get(id)())
      expect(last).to.deep.equal(written.at(-1))
      expect(last.title).to.match(/^by \d*[02468]$/)
      expect(last.language).to.match(/^by \d*[13579]$/)
    })

    it('apply exactly one of several deletes', async () => {
      const { id } = await create()
      const results = await manyAtOnce(() => storage().snippets.delete(id, anyRevision)())
      expect(results.filter(isRight)).to.have.length(1)
      expect(results.filter(result => !isRight(result))).to.deep.equal(Array(many - 1).fill(left(notFound)))
    })

    it('apply either a delete or an update if both expect the same revision', async () => {
      const snippet = await create()
      const [updated, deleted] = await Promise.all([
        storage().snippets.update(snippet.id, changes({ title: 'new' }), { oneOf: [snippet] }, now)(),
        storage().snippets.delete(snippet.id, { oneOf: [snippet] })(),
      ])
      const after = await storage().snippets.get(snippet.id)()
      if (isRight(updated)) expect([deleted, after]).to.deep.equal([left(stale), updated])
      else expect([updated, deleted, after]).to.deep.equal([left(notFound), right(undefined), left(notFound)])
    })
  })
}
