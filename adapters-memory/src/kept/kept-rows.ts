import type { Row, RowStore } from '@snippets/domain/ports/row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import { openingFailure } from './opening-failure.js'
import { openRowFile, type RowFileOptions } from './row-file.js'
import { encodeRow, rowKey, type StoredRow } from './stored-row.js'

/** The rows of a directory. */
export const openKeptRows = async (options: RowFileOptions): Promise<RowStore> => {
  const file = rightOrThrow(await openRowFile(options)())
  return {
    lastId: async () => file.head().lastId,
    async *rows() {
      for await (const batch of file.rows()) yield rightOrThrow(batch).filter(isRow)
    },
    add: async rows => {
      const texts = new Map(rows.map(({ kind, row }) => [rowKey(kind, row.id), encodeRow(row)]))
      const stored = await file.texts([...texts.keys()]).catch(explain)
      for (const key of stored.keys()) texts.delete(key)
      let { lastId } = file.head()
      for (const { kind, row } of rows) if (kind === 'snippet' && row.id > lastId) lastId = row.id
      await file.write(texts, lastId).catch(explain)
    },
    raiseLastId: async id => {
      if (file.head().lastId < id) await file.write(new Map(), id).catch(explain)
    },
    close: () => file.close(),
  }
}

const explain = (error: unknown): never => {
  throw new Error(openingFailure(error))
}

const isRow = (row: StoredRow): row is Row => row.kind !== 'key'

const rightOrThrow = <A>(result: E.Either<string, A>): A => {
  if (E.isRight(result)) return result.right
  throw new Error(result.left)
}
