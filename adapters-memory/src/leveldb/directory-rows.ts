import { lchown, lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type RowResult, type RowStore, rowResult } from '@snippets/domain/ports/row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { databaseFolder, openRowDatabase, type RowDatabase, type RowDatabaseOptions } from './row-database.js'
import { encodeRow, rowKey } from './stored-row.js'

export const openDirectoryRows =
  (options: RowDatabaseOptions): RowResult<RowStore> =>
  async () => {
    const opened = await openRowDatabase(options)()
    if (E.isRight(opened)) return E.right(rowStoreOf(opened.right, options.directory))
    await restoreOwner(options.directory).catch(() => {})
    return opened
  }

const rowStoreOf = (database: RowDatabase, directory: string): RowStore => ({
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
  close: rowResult(async () => {
    await database.close()
    await restoreOwner(directory)
  }),
})

/** Gives the files that LevelDB has made for root to the owner of the directory, as whom the service runs. */
const restoreOwner = async (directory: string): Promise<void> => {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = await stat(directory)
  const folder = databaseFolder(directory)
  // root follows no link, which could lead out of the directory
  if (!(await lstat(folder)).isDirectory()) return
  const paths = [folder, ...(await readdir(folder)).map(name => join(folder, name))]
  await Promise.all(
    paths.map(async path => {
      if ((await lstat(path)).uid !== uid) await lchown(path, uid, gid)
    }),
  )
}
