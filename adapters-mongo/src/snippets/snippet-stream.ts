import type { ListError } from '@snippets/domain/errors.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Collection } from 'mongodb'
import type { Attempts } from './attempt.js'
import { type SnippetDocument, snippetFrom } from './documents.js'
import { decodeAll } from './page-reader.js'

const batchSize = 500

/** The cursor follows the index on `_id`, which never changes: no snippet comes twice, none that stays is missed. */
export async function* streamAll(
  { reading }: Attempts,
  snippets: Collection<SnippetDocument>,
): AsyncGenerator<E.Either<ListError, readonly Snippet[]>> {
  const cursor = snippets.find({}, { sort: { _id: 1 }, batchSize })
  const fetch = reading(async () => {
    const documents = (await cursor.hasNext()) ? cursor.readBufferedDocuments() : []
    return decodeAll(snippetFrom)(documents)
  })
  try {
    for (;;) {
      const batch = await fetch()
      if (E.isRight(batch) && batch.right.length === 0) return
      yield batch
      if (E.isLeft(batch)) return
    }
  } finally {
    // nobody waits for this, and the database forgets a cursor that it was not told of
    cursor.close().catch(() => undefined)
  }
}
