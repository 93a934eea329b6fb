import type { RowBatches, RowResult, RowSource, RowTarget, Snapshot } from '@snippets/domain/ports/row-store.js'
import { rowFailure, tryRows } from '@snippets/domain/ports/row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { openRowDatabase, type RowDatabase } from './row-database.js'
import { encodeRow, rowKey, type StoredRow } from './stored-row.js'

/** Opens an existing directory to copy from. */
export const openDirectorySource = (directory: string): RowResult<RowSource> =>
  pipe(openRowDatabase({ directory, mayCreate: false }), TE.map(sourceOf))

/** Opens or creates a directory to copy to. */
export const openDirectoryTarget = (directory: string): RowResult<RowTarget> =>
  pipe(openRowDatabase({ directory, mayCreate: true, mayBeIncomplete: true }), TE.map(targetOf))

const sourceOf = (database: RowDatabase): RowSource => ({
  snapshot: snapshotOf(database),
  close: tryRows(database.close),
})

const targetOf = (database: RowDatabase): RowTarget => ({
  ...sourceOf(database),
  begin: lastId =>
    pipe(
      ensureEmpty(database),
      TE.chain(() => tryRows(() => database.write(new Map(), { lastId, isIncomplete: true }))),
    ),
  add: rows =>
    tryRows(() =>
      database.write(new Map(rows.map(({ kind, entity }) => [rowKey(kind, entity.id), encodeRow(entity)]))),
    ),
  finish: tryRows(() => database.write(new Map(), { isIncomplete: false })),
})

/** Deletes the rows of an interrupted transfer. Fails if the directory holds or held other rows. */
const ensureEmpty = ({ header, clear }: RowDatabase): RowResult<void> => {
  const { isIncomplete, rows, lastId } = header()
  if (isIncomplete) return tryRows(clear)
  return rows === 0 && lastId === 0n ? TE.right(undefined) : TE.left(rowFailure('is not empty. Name another target'))
}

/** Reads the rows of one moment, without idempotency keys. */
const snapshotOf = ({ snapshot }: RowDatabase): RowResult<Snapshot> =>
  pipe(
    snapshot,
    TE.map(({ rows, ...others }) => ({ ...others, rows: withoutKeys(rows) })),
  )

async function* withoutKeys(batches: RowBatches<StoredRow>): RowBatches {
  for await (const batch of batches)
    yield E.map((rows: readonly StoredRow[]) => rows.filter(row => row.kind !== 'idempotency-key'))(batch)
}
