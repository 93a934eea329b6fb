import type { Log } from '@snippets/domain/ports/log.js'
import type { RowResult, RowSource, RowTarget } from '@snippets/domain/ports/row-store.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Metrics } from '../metrics/metrics.js'
import type { StorageSettings } from '../settings/storage-settings.js'

export type StorageContext = Readonly<{ log: Log; metrics: Metrics }>

/** A storage as `apps` opens it. */
export type StorageEntry = Readonly<{
  /** Returns where the snippets are stored, for the log and the greeting: a phrase such as "MongoDB". */
  location: (settings: StorageSettings) => string
  /** Loads the libraries of the storage and opens it. Left tells the operator why it cannot be opened. */
  open: (settings: StorageSettings, context: StorageContext) => TaskEither<string, Storage>
  /** Access to the rows for `npm run transfer`, which takes the address of a storage. */
  rowAccess: Readonly<{
    /** A noun with its article, for the usage. */
    addressKind: string
    isAddress: (text: string) => boolean
    openSource: (address: string) => RowResult<RowSource>
    openTarget: (address: string) => RowResult<RowTarget>
  }>
}>
