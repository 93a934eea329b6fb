import { type Either, isLeft, left, right } from '@snippets/domain/fp/either.js'
import type { User } from '@snippets/domain/user.js'
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
export const openKeptStorage = async (options: KeptOptions): Promise<Either<string, KeptStorage>> => {
  const file = await openRowFile(options)
  if (isLeft(file)) return file
  const storage = await readBack(file.right, options).catch(cause => left(damaged(String(cause))))
  if (isLeft(storage)) await file.right.close()
  return storage
}

const readBack = async (file: RowFile, options: KeptOptions): Promise<Either<string, KeptStorage>> => {
  const { firstId = 1n, ceilingBytes: ceiling = Number.POSITIVE_INFINITY } = options
  const stored = await file.readHead()
  if (isLeft(stored)) return stored
  const head = { ...stored.right, lastId: max(stored.right.lastId, firstId - 1n) }
  const table = new SnippetTable({ firstId: head.lastId + 1n, ceiling })
  const fault = await fillTable(table, file, head, options.onProgress)
  if (fault !== undefined) return left(fault)
  const users = await storedUsers(file)
  if (isLeft(users)) return users
  const commit = new GroupCommit({ ...options, table, head, ceiling, file: keptFile(file, options) })
  return right({
    snippets: keptStore(table, commit),
    users: userStore(options.users.length > 0 ? options.users : users.right),
    heldBytes: () => table.held,
    close: () => commit.close(),
  })
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)

const storedUsers = async (file: RowFile): Promise<Either<string, readonly User[]>> => {
  const users: User[] = []
  for await (const batch of file.users()) {
    if (isLeft(batch)) return left(damaged(String(batch.left.cause)))
    users.push(...batch.right.rows)
  }
  return right(users)
}
