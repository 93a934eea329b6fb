import { access, mkdir, open, readdir, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { RowBatches, RowFailure, RowResult, Snapshot } from '@snippets/domain/ports/row-store.js'
import { rowFailure } from '@snippets/domain/ports/row-store.js'
import { ClassicLevel, type Iterator as LevelIterator } from 'classic-level'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type DatabaseHeader, decodeHeader, emptyHeader, encodeHeader } from './database-header.js'
import { codeOf, damaged, openingFailure } from './opening-failure.js'
import { decodeStoredRow, type StoredRow } from './stored-row.js'

type Level = ClassicLevel<string, string>

/** The new values of rows, by key. Undefined deletes the row. */
export type RowWrites = ReadonlyMap<string, string | undefined>

/** The rows of a data directory. Only one process may open it. */
export type RowDatabase = Readonly<{
  header: () => DatabaseHeader
  /** Tells whether this header belongs to the last successful batch, or to the failed batch after it. */
  mayBeLatest: (header: DatabaseHeader) => boolean
  /**
   * Resolves when all changes are on the disk. After a rejection the outcome is unknown, and callers MUST NOT write
   * again. The log of LevelDB may then end with a truncated record, and the next start would ignore all records after
   * it.
   */
  write: (changes: RowWrites, headerChanges?: Partial<Omit<DatabaseHeader, 'rows' | 'sum'>>) => Promise<void>
  /** Deletes all rows of an incomplete directory. The stored header says incomplete until the next `write`. */
  clear: () => Promise<void>
  /** Reads all rows in the order of their keys. The last batch is a `Left` if a row is missing or corrupt. */
  snapshot: RowResult<Snapshot<StoredRow>>
  close: () => Promise<void>
}>

type RowDatabaseOptions = Readonly<{ directory: string; mayCreate: boolean; mayBeIncomplete?: boolean }>

const headerKey = '0'
const rowsPerBatch = 1000

export const openRowDatabase =
  ({ directory, mayCreate, mayBeIncomplete = false }: RowDatabaseOptions): RowResult<RowDatabase> =>
  async () => {
    // a separate folder, because LevelDB deletes files with names like its own, and a mounted disk has a `lost+found`
    const folder = join(directory, 'snippets')
    try {
      if (!(await exists(folder))) {
        if (!mayCreate) return E.left(rowFailure('is not a data directory: it has no folder named snippets'))
        await createFolder(directory, folder).catch(async error => {
          // another process may have created the folder meanwhile
          if (!(await exists(folder))) throw error
        })
      }
      const level = await openLevel(folder, false)
      const header = await pipe(
        TE.tryCatch(() => level.get(headerKey), openingFailure),
        TE.chainEitherK(decodeHeader),
        TE.filterOrElse(
          ({ isIncomplete }) => mayBeIncomplete || !isIncomplete,
          () => incomplete,
        ),
      )()
      if (E.isRight(header)) return E.right(createRowDatabase(level, header.right))
      await level.close()
      return header
    } catch (error) {
      return E.left(openingFailure(error))
    }
  }

const incomplete = rowFailure('holds the rest of an interrupted transfer. Repeat it, or use another directory')

/** The files that LevelDB reads. LOCK is not among them: closing it would release the lock of this process. */
const levelFile = /^(CURRENT|MANIFEST-\d+|\d+\.(log|ldb|sst))$/

/**
 * Reads all files of LevelDB. LevelDB itself ignores a read error in its log, and then deletes the log. It maps its
 * tables, so that a read error there ends the process.
 */
const readFiles = async (folder: string): Promise<void> => {
  for (const name of (await readdir(folder)).filter(name => levelFile.test(name)))
    try {
      await readFile(join(folder, name))
    } catch (error) {
      // another process, which uses the directory, may have deleted the file
      if (codeOf(error) !== 'ENOENT') throw new Error(`${name}: ${E.toError(error).message}`)
    }
}

const openLevel = async (folder: string, createIfMissing: boolean): Promise<Level> => {
  await readFiles(folder)
  const level: Level = new ClassicLevel(folder, { createIfMissing })
  await level.open()
  return level
}

/**
 * Creates the folder under another name and renames it once it has a header, so that a crash leaves no folder without
 * one. A header that exists stays: a loss of power may have undone the rename, and rows may have followed.
 */
const createFolder = async (directory: string, folder: string): Promise<void> => {
  if (await ensureFolder(directory)) await syncFolder(dirname(directory))
  const unfinished = `${folder}.unfinished`
  // LevelDB makes folders recursively, which never ends in file systems such as /proc
  await ensureFolder(unfinished)
  const level = await openLevel(unfinished, true)
  try {
    if ((await level.get(headerKey)) === undefined)
      await level.put(headerKey, encodeHeader(emptyHeader), { sync: true })
  } finally {
    await level.close()
  }
  await rename(unfinished, folder)
  await syncFolder(directory)
}

/** Makes the names in a folder survive a loss of power. Windows cannot sync a folder. */
const syncFolder = async (folder: string): Promise<void> => {
  if (process.platform === 'win32') return
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}

const exists = (path: string): Promise<boolean> => succeeds(access(path), 'ENOENT')

/** Creates the folder unless it exists, and tells whether it is new. */
const ensureFolder = (path: string): Promise<boolean> => succeeds(mkdir(path, { mode: 0o700 }), 'EEXIST')

/** Tells whether the work succeeds. A failure with another code than the expected one is thrown. */
const succeeds = async (work: Promise<void>, expectedCode: string): Promise<boolean> => {
  try {
    await work
    return true
  } catch (error) {
    if (codeOf(error) === expectedCode) return false
    throw error
  }
}

const createRowDatabase = (level: Level, initial: DatabaseHeader): RowDatabase => {
  let header = initial
  /** The header of the latest batch, which may have failed. */
  let latest = initial
  return {
    header: () => header,
    mayBeLatest: other => [header, latest].some(one => encodeHeader(one) === encodeHeader(other)),
    write: async (changes, headerChanges) => {
      const before = await level.getMany([...changes.keys()])
      latest = headerAfter({ ...header, ...headerChanges }, before, changes)
      const operations = [...changes].map(([key, value]) =>
        value === undefined ? ({ type: 'del', key } as const) : ({ type: 'put', key, value } as const),
      )
      await level.batch([...operations, { type: 'put', key: headerKey, value: encodeHeader(latest) }], { sync: true })
      header = latest
    },
    clear: async () => {
      await level.clear({ gt: headerKey })
      header = emptyHeader
    },
    snapshot: pipe(
      TE.tryCatch(() => readSnapshot(level), openingFailure),
      TE.chain(TE.fromEither),
    ),
    close: () => level.close(),
  }
}

const checksum = (key: string, text: string): number => crc32(text, crc32(key))

const headerAfter = (
  header: DatabaseHeader,
  before: readonly (string | undefined)[],
  changes: RowWrites,
): DatabaseHeader => {
  const next = { ...header }
  for (const [i, [key, text]] of [...changes].entries()) {
    const old = before[i]
    next.rows += Number(text !== undefined) - Number(old !== undefined)
    next.sum += (text === undefined ? 0 : checksum(key, text)) - (old === undefined ? 0 : checksum(key, old))
  }
  return { ...next, sum: next.sum >>> 0 }
}

const readSnapshot = async (level: Level): Promise<E.Either<RowFailure, Snapshot<StoredRow>>> => {
  // an iterator reads the state at its creation
  const iterator = level.iterator({ highWaterMarkBytes: 1024 * 1024 })
  const [first] = await iterator.nextv(1)
  return pipe(
    decodeHeader(first?.[1]),
    E.map(header => ({ lastId: header.lastId, rows: readRows(iterator, header) })),
  )
}

async function* readRows(
  iterator: LevelIterator<Level, string, string>,
  header: DatabaseHeader,
): RowBatches<StoredRow> {
  try {
    let count = 0
    let sum = 0
    for (;;) {
      const entries = await iterator.nextv(rowsPerBatch)
      if (entries.length === 0) break
      const rows: StoredRow[] = []
      for (const [key, text] of entries) {
        const row = decodeStoredRow(key, text)
        if (E.isLeft(row)) return yield E.left(damaged(`it holds ${row.left}`))
        rows.push(row.right)
        sum = (sum + checksum(key, text)) >>> 0
      }
      count += entries.length
      yield E.right(rows)
    }
    if (count !== header.rows || sum !== header.sum)
      yield E.left(damaged(`its rows do not match its header: ${count} of ${header.rows} were read`))
  } catch (error) {
    yield E.left(openingFailure(error))
  } finally {
    await iterator.close()
  }
}
