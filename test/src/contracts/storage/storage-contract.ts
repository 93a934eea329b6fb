import type { User } from '@snippets/domain/entities/user.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import type { Id } from '@snippets/domain/values/id.js'
import { ceilingContract } from './ceiling.js'
import { concurrencyContract } from './concurrency.js'
import { creatingOnceContract } from './creating-once.js'
import { malformedRowContract, rejectedWriteContract } from './database-errors.js'
import { expectationsContract } from './expectations.js'
import { idsContract } from './ids.js'
import { oneSnippetContract } from './one-snippet.js'
import { pagesContract } from './pages.js'
import { searchingContract } from './searching.js'
import { streamContract } from './stream.js'
import { usersContract } from './users.js'

/**
 * Tests the demands of `domain/src/ports/ports.ts` on a storage that works. `outageContract` holds the demands on a storage that
 * fails, and `killContract` those on a process that ends.
 */
export const storageContract = (name: string, harness: StorageHarness): void => {
  describe(`Storage contract of ${name}:`, () => {
    oneSnippetContract(harness)
    creatingOnceContract(harness)
    idsContract(harness)
    expectationsContract(harness)
    concurrencyContract(harness)
    pagesContract(harness)
    searchingContract(harness)
    streamContract(harness)
    usersContract(harness)
    if (harness.openSmall) ceilingContract(harness.openSmall)
    if (harness.openCorruptible) malformedRowContract(harness.openCorruptible)
    if (harness.openForbidding) rejectedWriteContract(harness.openForbidding)
  })
}

export type StorageHarness = Readonly<{
  /** Opens a new, empty storage. Its first id is `firstId`, or else 1; its users are `users`, or else none. */
  open: (options: StorageOptions) => Promise<OpenStorage>
  /** For a storage with a ceiling: opens a new, empty one with room for 10 to 1000 snippets of the maximum length. */
  openSmall?: () => Promise<OpenStorage>
  /** Opens a new, empty storage. `corrupt` makes the stored row of a snippet malformed. */
  openCorruptible?: () => Promise<OpenStorage & Readonly<{ corrupt: (id: Id) => unknown }>>
  /** Opens a new, empty storage. After `forbidWrites` its database rejects every write, as if a permission were missing. */
  openForbidding?: () => Promise<OpenStorage & Readonly<{ forbidWrites: () => unknown }>>
}>

export type StorageOptions = Readonly<{ firstId?: bigint; users?: readonly User[] }>

/** The parts of a storage that the contract tests. */
export type OpenStorage = Pick<Storage, 'snippets' | 'users' | 'close'>
