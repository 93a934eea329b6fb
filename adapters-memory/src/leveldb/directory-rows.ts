import { type RowResult, type RowStore, rowResult } from '@snippets/domain/ports/row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { openRowDatabase, type RowDatabase, type RowDatabaseOptions } from './row-database.js'
import { encodeRow, rowKey } from './stored-row.js'

/** Opens the rows of a data directory. */
export const openDirectoryRows = (options: RowDatabaseOptions): RowResult<RowStore> =>
  pipe(openRowDatabase(options), TE.map(rowsOf))

const rowsOf = (file: RowDatabase): RowStore => ({
  lastId: TE.fromIO(() => file.head().lastId),
  async *rows() {
    for await (const batch of file.rows()) {
      if (E.isLeft(batch)) return yield batch
      for (const row of batch.right) if (row.kind !== 'key') yield E.right(row)
    }
  },
  add: rows =>
    rowResult(async () => {
      const texts = new Map(rows.map(({ kind, row }) => [rowKey(kind, row.id), encodeRow(row)]))
      for (const key of (await file.texts([...texts.keys()])).keys()) texts.delete(key)
      const ids = rows.flatMap(({ kind, row }) => (kind === 'snippet' ? [row.id] : []))
      await file.write(
        texts,
        ids.reduce((largest: bigint, id) => (id > largest ? id : largest), file.head().lastId),
      )
    }),
  raiseLastId: id =>
    rowResult(async () => {
      if (file.head().lastId < id) await file.write(new Map(), id)
    }),
  close: rowResult(file.close),
})
