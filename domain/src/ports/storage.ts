import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { RowResult, Snapshot } from './row-store.js'
import type { SnippetStore, UserStore } from './stores.js'

/**
 * An open storage. The function that opens it gets the users of the settings. A shared storage that holds no users MUST
 * store them exactly once, even if several processes prepare it at the same time.
 */
export type Storage = Readonly<{
  snippets: SnippetStore
  users: UserStore
  /** Health check: a `Right` while the storage works, even if it is full. Callers ignore the cause of a `Left`. */
  check: TaskEither<unknown, void>
  /**
   * Resolves when the storage accepts writes. The indexes of pages may still be missing. MUST NOT reject: it stays
   * pending while a database is down, and forever if the storage closes first.
   */
  whenPrepared: () => Promise<void>
  /** Reads the rows for a backup while the storage works. Missing if the database has a tool for that. */
  snapshot?: RowResult<Snapshot>
  /**
   * MUST be idempotent, MUST NOT reject, and MUST free connections and files within seconds. Later writes to a
   * persistent storage are `unapplied`. Returns a `Left` if work hangs and would keep the process from ending.
   */
  close: TaskEither<unknown, void>
}>
