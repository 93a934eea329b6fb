import type { User } from '@snippets/domain/user.js'
import * as E from 'fp-ts/lib/Either.js'
import type { MemoryOptions, MemoryStorage } from '../memory-storage.js'
import { SnippetTable } from '../snippet-table.js'
import { userStore } from '../user-store.js'
import { fillTable } from './fill-table.js'
import { GroupCommit } from './group-commit.js'
import { keptFile } from './kept-file.js'
import { keptStore } from './kept-store.js'
import { damaged } from './opening-failure.js'
import { openRowFile, type RowFile, type RowFileOptions } from './row-file.js'

export type KeptStorage = MemoryStorage & Readonly<{ close: () => Promise<void> }>

export type KeptOptions = Omit<MemoryOptions, 'users'> &
  RowFileOptions &
  Readonly<{
    /** When there are none, those of the directory. */
    users: readonly User[]
    wait: (ms: number) => Promise<unknown>
    /** Told after each batch that was read back. */
    onProgress: (read: number, total: number) => void
    onFailure: (cause: unknown) => void
    onRecovery: () => void
  }>

/**
 * Memory storage that keeps every write in a directory, and starts with what is there. Left is a sentence without its
 * subject, the name of the directory.
 */
export const openKeptStorage = async (options: KeptOptions): Promise<E.Either<string, KeptStorage>> => {
  const file = await openRowFile(options)
  if (E.isLeft(file)) return file
  const storage = await readBack(file.right, options).catch(cause => E.left(damaged(String(cause))))
  if (E.isLeft(storage)) await file.right.close()
  return storage
}

const readBack = async (file: RowFile, options: KeptOptions): Promise<E.Either<string, KeptStorage>> => {
  const { firstId = 1n, ceilingBytes: ceiling = Number.POSITIVE_INFINITY } = options
  const stored = await file.readHead()
  if (E.isLeft(stored)) return stored
  const head = { ...stored.right, lastId: max(stored.right.lastId, firstId - 1n) }
  const table = new SnippetTable({ firstId: head.lastId + 1n, ceiling })
  const fault = await fillTable(table, file, head, options.onProgress)
  if (fault !== undefined) return E.left(fault)
  const users = await storedUsers(file)
  if (E.isLeft(users)) return users
  const commit = new GroupCommit({ ...options, table, head, ceiling, file: keptFile(file, options) })
  return E.right({
    snippets: keptStore(table, commit),
    users: userStore(options.users.length > 0 ? options.users : users.right),
    heldBytes: () => table.held,
    close: () => commit.close(),
  })
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)

const storedUsers = async (file: RowFile): Promise<E.Either<string, readonly User[]>> => {
  const users: User[] = []
  for await (const batch of file.users()) {
    if (E.isLeft(batch)) return E.left(damaged(String(batch.left.cause)))
    users.push(...batch.right.rows)
  }
  return E.right(users)
}
