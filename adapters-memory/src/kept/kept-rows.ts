import type { RowStore } from '@snippets/domain/ports/row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import { openRowFile, type RowFileOptions } from './row-file.js'
import { encodeRow, rowKey } from './stored-row.js'

/** The rows of a directory. */
export const openKeptRows = async (options: RowFileOptions): Promise<RowStore> => {
  const file = rightOrThrow(await openRowFile(options)())
  return {
    lastId: async () => file.head().lastId,
    async *rows() {
      for await (const batch of file.rows()) for (const row of rightOrThrow(batch)) if (row.kind !== 'key') yield row
    },
    add: async rows => {
      const texts = new Map(rows.map(({ kind, row }) => [rowKey(kind, row.id), encodeRow(row)]))
      for (const key of (await file.texts([...texts.keys()])).keys()) texts.delete(key)
      const ids = rows.flatMap(({ kind, row }) => (kind === 'snippet' ? [row.id] : []))
      await file.write(
        texts,
        ids.reduce((largest: bigint, id) => (id > largest ? id : largest), file.head().lastId),
      )
    },
    raiseLastId: async id => {
      if (file.head().lastId < id) await file.write(new Map(), id)
    },
    close: file.close,
  }
}

const rightOrThrow = <A>(result: E.Either<string, A>): A => {
  if (E.isRight(result)) return result.right
  throw new Error(result.left)
}
