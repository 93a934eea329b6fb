import type { Metrics } from '@snippets/adapters-http/admin/metrics.js'
import type { User } from '@snippets/domain/entities/user.js'
import type { SnippetStore, UserStore } from '@snippets/domain/ports/ports.js'
import type { RowResult, RowStore } from '@snippets/domain/ports/row-store.js'
import type { Decoded, Decoders } from '@snippets/domain/values/codec.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Log } from '../logging/logger.js'

export type Storage = Readonly<{
  snippets: SnippetStore
  users: UserStore
  /** Health check: is the storage reachable? */
  check: TaskEither<unknown, void>
  /** Resolves once provisioned users exist, which never happens while the database is down. */
  prepared: Promise<void>
  close: () => Promise<void>
}>

export type StorageContext = Readonly<{ users: readonly User[]; log: Log; metrics: Metrics | undefined }>

/** Everything that `apps` knows about one storage. `D` are the settings that only this storage reads. */
export type StorageEntry<D extends Decoders> = Readonly<{
  settings: D
  /** Sentences about values that are valid alone, but do not suffice for this storage. */
  faults: (settings: Decoded<D>) => readonly string[]
  /** Warnings about values that an operator may have set by mistake. */
  warnings: (settings: Decoded<D>) => readonly string[]
  /** A line of the greeting: where the snippets are. */
  greeting: (settings: Decoded<D>) => string
  /** Rejects with a `SettingsError` if the settings cannot be used. Loads the libraries of the storage. */
  open: (settings: Decoded<D>, context: StorageContext) => Promise<Storage>
  /** For `npm run transfer`, which names a storage by an address. */
  rows: Readonly<{
    /** A noun for the usage, with its article. */
    addressKind: string
    isAddress: (text: string) => boolean
    open: (address: string, mayCreate: boolean) => RowResult<RowStore>
  }>
}>
