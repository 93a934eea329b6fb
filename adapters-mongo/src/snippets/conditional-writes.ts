import type { Expectation } from '@snippets/domain/entities/revision.js'
import type { Changes, Snippet } from '@snippets/domain/entities/snippet.js'
import { type Corrupt, notFound, stale } from '@snippets/domain/ports/errors.js'
import type { Id } from '@snippets/domain/values/id.js'
import type { Operation } from '@snippets/remote-storage/operation.js'
import * as E from 'fp-ts/lib/Either.js'
import type { KeyClaims } from './key-claims.js'
import type { SnippetCommands } from './snippet-commands.js'
import { decodeSnippet, type SnippetFilter } from './snippet-document.js'

type Condition = Readonly<{ id: Id; expected: Expectation }>
type Mismatch = typeof notFound | typeof stale | Corrupt
type Result<A> = E.Either<Mismatch, A>

const removed = E.right(undefined)

export const createConditionalWrites = (
  commands: Pick<SnippetCommands, 'update' | 'remove' | 'keysOf' | 'readNewest'>,
  claims: Pick<KeyClaims, 'markDeletion'>,
) => {
  const mismatchOf = async ({ id, expected }: Condition): Promise<Mismatch> => {
    // a majority read could miss a row that a write finds
    const found = await commands.readNewest(id)
    if (found === null) return notFound
    const decoded = decodeSnippet(found)
    if (E.isLeft(decoded)) return decoded.left
    // Without an expectation, a write fails only if the row is missing. A row that is found now was inserted later.
    return expected._tag === 'OneOf' || expected.revisions.length > 0 ? stale : notFound
  }
  return {
    update: async (operation: Operation, condition: Condition, changes: Changes): Promise<Result<Snippet>> => {
      const filter = filterOfCondition(condition)
      // the database would reject the increment of a malformed version
      const updated = filter && (await commands.update(operation, { ...filter, version: { $gte: 1 } }, changes))
      return updated || E.left(await mismatchOf(condition))
    },
    /** Removes the row that matches. If it has a key, marks the claim first, because the key outlives the row. */
    remove: async (operation: Operation, condition: Condition): Promise<Result<void>> => {
      const filter = filterOfCondition(condition)
      if (filter && (await commands.remove(operation, { ...filter, idempotency_key: { $exists: false } })))
        return removed
      const key = filter && (await commands.keysOf([condition.id], 'local')).get(condition.id)
      if (filter === undefined || key === undefined) return E.left(await mismatchOf(condition))
      // harmless if the expectation is stale, because creations read the mark only if they find no row
      await claims.markDeletion(operation.signal, key, condition.id)
      if (await commands.remove(operation, filter)) return removed
      return E.left(await mismatchOf(condition))
    },
  }
}

/** Returns the filter of a write that compares atomically. Returns undefined if the expectation excludes each row. */
const filterOfCondition = ({ id, expected }: Condition): SnippetFilter | undefined => {
  // `$or` and `$nor` must not be empty
  const revisions = expected.revisions.map(({ version, created_at }) => ({ version, created_at: new Date(created_at) }))
  if (expected._tag === 'OneOf') return revisions.length === 0 ? undefined : { _id: id, $or: revisions }
  return revisions.length === 0 ? { _id: id } : { _id: id, $nor: revisions }
}
