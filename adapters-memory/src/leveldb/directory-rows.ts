import { type RowResult, type RowStore, rowResult } from '@snippets/domain/ports/row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { openRowDatabase, type RowDatabase, type RowDatabaseOptions } from './row-database.js'
import { encodeRow, rowKey } from './stored-row.js'

export const openDirectoryRows = (options: RowDatabaseOptions): RowResult<RowStore> =>
  pipe(openRowDatabase(options), TE.map(rowStoreOf))

const rowStoreOf = (database: RowDatabase): RowStore => ({
  lastId: TE.fromIO(() => database.header().lastId),
  async *rows() {
    for await (const batch of database.rows()) {
      if (E.isLeft(batch)) return yield batch
      for (const row of batch.right) if (row.kind !== 'idempotency-key') yield E.right(row)
    }
  },
  add: rows =>
    rowResult(async () => {
      const added = new Map(rows.map(({ kind, row }) => [rowKey(kind, row.id), encodeRow(row)]))
      for (const key of (await database.getMany([...added.keys()])).keys()) added.delete(key)
      const ids = rows.flatMap(({ kind, row }) => (kind === 'snippet' ? [row.id] : []))
      await database.write(
        added,
        ids.reduce((largest: bigint, id) => (id > largest ? id : largest), database.header().lastId),
      )
    }),
  raiseLastId: id =>
    rowResult(async () => {
      if (database.header().lastId < id) await database.write(new Map(), id)
    }),
  close: rowResult(database.close),
})
