import type { DecodeRows } from '@snippets/application/remote-storage/decode-rows.js'
import type { WithDeadline } from '@snippets/application/remote-storage/operation.js'
import type { Snippet } from '@snippets/domain/entities/snippet.js'
import type { ListError } from '@snippets/domain/ports/errors.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Collection } from 'mongodb'
import type { SnippetDocument } from './snippet-document.js'

/** The rows of a batch: few, because each stalled client holds a batch and the reply that contains it. */
const batchSize = 50

/** Streams all snippets by `_id`, which never changes: a snippet that exists throughout is sent exactly once. */
export async function* streamAll(
  run: WithDeadline,
  snippets: Collection<SnippetDocument>,
  decodeRows: DecodeRows<Snippet>,
): AsyncGenerator<E.Either<ListError, readonly Snippet[]>> {
  const cursor = snippets.find({}, { sort: { _id: 1 }, batchSize })
  try {
    for (;;) {
      const batch = await run(async () => E.right((await cursor.hasNext()) ? cursor.readBufferedDocuments() : []))
      if (E.isRight(batch) && batch.right.length === 0) return
      const decoded = E.map(decodeRows)(batch)
      if (E.isLeft(decoded) || decoded.right.length > 0) yield decoded
      if (E.isLeft(decoded)) return
    }
  } finally {
    // not awaited, because the database removes idle cursors
    cursor.close().catch(() => undefined)
  }
}
