import type { OpenStorage, StorageHarness } from './storage-contract.js'

/** Opens one storage for all tests of the suite around it, and closes it behind them. */
export const openedOnce = (
  harness: StorageHarness,
  options: Parameters<StorageHarness['open']>[0],
  fill: (storage: OpenStorage) => Promise<void> = async () => {},
): (() => OpenStorage) => {
  let storage: OpenStorage | undefined
  const opened = (): OpenStorage => {
    if (storage === undefined) throw new Error('the storage is not open')
    return storage
  }
  before(async () => {
    storage = await harness.open(options)
    await fill(storage)
  })
  after(() => storage?.close())
  return opened
}

/** Opens a storage for one test. */
export const withStorage =
  (
    harness: StorageHarness,
    options: Parameters<StorageHarness['open']>[0],
    test: (storage: OpenStorage) => Promise<void>,
  ) =>
  async (): Promise<void> => {
    const storage = await harness.open(options)
    try {
      await test(storage)
    } finally {
      await storage.close()
    }
  }
