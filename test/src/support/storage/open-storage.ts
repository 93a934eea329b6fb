import { setTimeout as pause } from 'node:timers/promises'
import type { User } from '@snippets/domain/entities/user.js'
import type { BreakableData, CheckedStorage, OutageHarness } from '../../contracts/storage/outage-contract.js'
import type { OpenStorage, StorageHarness, StorageOptions } from '../../contracts/storage/storage-contract.js'
import { lastWarnings } from '../service/logs.js'

const maxOpenMs = 15_000

/** Opens a storage. Rejects with the likely reason if it does not open before the timeout of mocha. */
export const openInTime = async <A extends Pick<OpenStorage, 'close'>>(open: () => Promise<A>): Promise<A> => {
  const opening = open()
  const storage = await Promise.race([opening, pause(maxOpenMs, undefined, { ref: false })])
  if (storage !== undefined) return storage
  opening.then(
    ({ close }) => close(),
    () => {},
  )
  const warnings = lastWarnings().join('\n') || 'none in `silentLog`'
  throw new Error(
    `the storage does not open within ${maxOpenMs} ms; its preparation may fail. Last warnings: ${warnings}`,
  )
}

/** Opens a storage for all tests of the suite around it, and closes it after them. */
export const openForSuite = (
  harness: StorageHarness,
  options: StorageOptions = {},
  fill: (storage: OpenStorage) => Promise<void> = async () => {},
): (() => OpenStorage) => {
  let storage: OpenStorage
  before(async () => {
    storage = await harness.open(options)
    await fill(storage)
  })
  after(() => storage?.close())
  return () => storage
}

/** Returns a function that defines a test on a new storage, which is closed after the test. */
export const itOnNewStorage =
  ({ open }: Pick<StorageHarness, 'open'>) =>
  (title: string, options: StorageOptions, test: (storage: OpenStorage) => Promise<void>) =>
    it(title, async () => {
      const storage = await open(options)
      try {
        await test(storage)
      } finally {
        await storage.close()
      }
    })

/** Creates new data for each test of the suite. Closes the storages on it and removes it after the test. */
export const dataForEach = ({ faults, create }: OutageHarness, fault = faults.gone[0] ?? '') => {
  let data: BreakableData
  const opened: OpenStorage[] = []
  const closeAll = () => Promise.all(opened.splice(0).map(({ close }) => close()))
  beforeEach(async () => {
    data = await create(fault)
  })
  afterEach(async () => {
    await closeAll()
    await data.remove()
  })
  const open = async (users: readonly User[] = []): Promise<CheckedStorage> => {
    const storage = await data.open(users)
    opened.push(storage)
    return storage
  }
  return { data: () => data, open, closeAll }
}
