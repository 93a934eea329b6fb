import type { InTime } from '@snippets/application/remote-storage/operation.js'
import type { Snippet } from '@snippets/domain/entities/snippet.js'
import type { ListError } from '@snippets/domain/ports/errors.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Collection } from 'mongodb'
import type { DecodeRows } from '../documents/document-codec.js'
import type { SnippetDocument } from './snippet-document.js'

const batchSize = 500

/** The cursor follows the index on `_id`, which never changes: no snippet comes twice, and none that stays is missed. */
export async function* streamAll(
  inTime: InTime,
  snippets: Collection<SnippetDocument>,
  decodeRows: DecodeRows<Snippet>,
): AsyncGenerator<E.Either<ListError, readonly Snippet[]>> {
  const cursor = snippets.find({}, { sort: { _id: 1 }, batchSize })
  try {
    for (;;) {
      const batch = await inTime(async () => E.right((await cursor.hasNext()) ? cursor.readBufferedDocuments() : []))
      if (E.isRight(batch) && batch.right.length === 0) return
      const decoded = E.map(decodeRows)(batch)
      if (E.isLeft(decoded) || decoded.right.length > 0) yield decoded
      if (E.isLeft(decoded)) return
    }
  } finally {
    // not awaited: the database removes idle cursors by itself
    cursor.close().catch(() => undefined)
  }
}
