import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { SnippetStore, UserStore } from './ports.js'
import type { RowResult, Snapshot } from './row-store.js'

/** An open storage. */
export type Storage = Readonly<{
  snippets: SnippetStore
  users: UserStore
  /** Health check: a `Right` while the storage works, even if it is full. */
  check: TaskEither<unknown, void>
  /**
   * MUST resolve when ids, users and idempotency keys are ready, without waiting for the indexes of pages. Stays pending
   * while a database is down.
   */
  prepared: Promise<void>
  /** Reads the rows for a backup while the storage works. Missing if the database has a tool for that. */
  snapshot?: RowResult<Snapshot>
  /**
   * MUST be idempotent, and MUST free connections and files within seconds. Later writes to a persistent storage are
   * `unapplied`.
   */
  close: () => Promise<void>
}>
