import { setTimeout as pause } from 'node:timers/promises'
import type { User } from '@snippets/domain/entities/user.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import { maxAnswerMs } from '@snippets/domain/ports/stores.js'
import type { BreakableData, OpenedStorage, OutageHarness } from '../../contracts/storage/outage-contract.js'
import type { OpenStorage, StorageHarness, StorageOptions } from '../../contracts/storage/storage-contract.js'

/** An operation in progress may end first. */
const maxCloseMs = 2 * maxAnswerMs

/** Closes the storages. Rejects if that does not end within seconds, because the test would hang. */
export const closeAll = async (storages: readonly Pick<Storage, 'close'>[]): Promise<void> => {
  const closing = Promise.all(storages.map(({ close }) => close())).then(() => true)
  const isClosed = await Promise.race([closing, pause(maxCloseMs, false, { ref: false })])
  if (!isClosed) throw new Error(`close() does not end within ${maxCloseMs} ms`)
}

/** Waits until the storage accepts writes and has its indexes. */
export const whenReady = async ({ whenPrepared, whenIndexed }: OpenedStorage): Promise<void> => {
  await whenPrepared()
  await whenIndexed?.()
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
  <S extends OpenStorage>(open: () => Promise<S>) =>
  (title: string, test: (storage: S) => Promise<void>) =>
    it(title, async () => {
      const storage = await open()
      try {
        await test(storage)
      } finally {
        await storage.close()
      }
    })

/** Creates new data for each test of the suite. Closes the storages on it and removes it after the test. */
export const dataForEach = ({ faults, create }: OutageHarness, fault: string = faults.gone[0]) => {
  let data: BreakableData
  const opened: OpenStorage[] = []
  const closeOpened = () => closeAll(opened.splice(0))
  beforeEach(async () => {
    data = await create(fault)
  })
  afterEach(async () => {
    await closeOpened().finally(data.remove)
  })
  const openUnprepared = async (users: readonly User[] = []): Promise<OpenedStorage> => {
    const storage = await data.open(users)
    opened.push(storage)
    return storage
  }
  const open = async (users?: readonly User[]): Promise<Storage> => {
    const storage = await openUnprepared(users)
    await whenReady(storage)
    return storage
  }
  return { data: () => data, open, openUnprepared, closeAll: closeOpened }
}
