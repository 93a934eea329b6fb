import type { User } from '@snippets/domain/entities/user.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import { ceilingContract } from './ceiling.js'
import { concurrencyContract } from './concurrency.js'
import { type CorruptibleStorage, corruptRowsContract } from './corrupt-rows.js'
import { creatingOnceContract, keyExpiryContract } from './creating-once.js'
import { expectationsContract } from './expectations.js'
import { idsContract } from './ids.js'
import { oneSnippetContract } from './one-snippet.js'
import { pagesContract } from './pages.js'
import { searchingContract } from './searching.js'
import { streamContract } from './stream.js'
import { usersContract } from './users.js'

/**
 * Tests the demands of `domain/src/ports/stores.ts` on a storage that works. `outageContract` holds the demands on a
 * storage that fails, and `killContract` those on a process that ends.
 */
export const storageContract = (name: string, harness: WholeHarness): void => {
  describe(`Storage contract of ${name}:`, () => {
    oneSnippetContract(harness)
    creatingOnceContract(harness)
    keyExpiryContract(harness.openCounting)
    idsContract(harness)
    expectationsContract(harness)
    concurrencyContract(harness)
    pagesContract(harness)
    searchingContract(harness)
    streamContract(harness)
    usersContract(harness)
    if (harness.openCorruptible) corruptRowsContract(harness.openCorruptible)
    if (harness.openSmall) ceilingContract(harness.openSmall)
  })
}

export type StorageHarness = Readonly<{
  /** Opens a new, empty storage. Its first id is `firstId`, or else 1; its users are `users`, or else none. */
  open: (options: StorageOptions) => Promise<OpenStorage>
  /** For a database that may be too slow to begin 20 writes at once in time. */
  mayBeBusy?: boolean
}>

type WholeHarness = StorageHarness &
  Readonly<{
    /** Opens a new, empty storage whose idempotency keys can be counted. */
    openCounting: () => Promise<CountingStorage>
    /** For a storage with a ceiling: opens a new, empty one with room for 10 to 1000 snippets of the maximum length. */
    openSmall?: () => Promise<OpenStorage>
    /** For a storage that opens in spite of corrupt rows: opens a new, empty one. */
    openCorruptible?: () => Promise<CorruptibleStorage>
  }>

export type StorageOptions = Readonly<{ firstId?: bigint; users?: readonly User[] }>

/** The parts of a storage that the contract tests. */
export type OpenStorage = Pick<Storage, 'snippets' | 'users' | 'close'>

export type CountingStorage = OpenStorage &
  Readonly<{
    /** Counts the stored idempotency keys. Omits expired keys if the database removes them by its own clock. */
    countKeys: () => Promise<number>
  }>
