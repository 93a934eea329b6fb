import { mock } from 'node:test'
import { type OutageHarness, outageContract } from '../../contracts/storage/outage-contract.js'
import { directories, onBatch, openDirectory } from '../../support/storage/data-directory.js'

const newDirectory = directories()
const broken = new Error('IO error: Input/output error')

/** The faults of a disk. Each handles a batch of LevelDB; `restored` resolves at the end of the fault. */
const faults: Readonly<Record<string, (write: () => Promise<void>, restored: Promise<void>) => Promise<void>>> = {
  'writes fail': () => Promise.reject(broken),
  'writes hang': (write, restored) => restored.then(write),
  'writes fail after they were applied': write => write().then(() => Promise.reject(broken)),
}

/** Data directories on a disk that can fail. A fault concerns every directory of this process. */
const failingDisk: OutageHarness = {
  faults: {
    gone: ['writes fail'],
    silent: ['writes hang'],
    answersLost: ['writes fail after they were applied'],
    deadPeers: 'no connections',
    lostConnections: 'no connections',
  },
  maxConnections: 0,
  isRemote: false,
  parallelFaults: 1,
  create: async fault => {
    const directory = await newDirectory()
    let end = (): void => {}
    return {
      open: users => openDirectory(directory, { users }),
      break: () => {
        const restored = new Promise<void>(resolve => {
          end = resolve
        })
        onBatch(write => faults[fault]?.(write, restored) ?? write())
      },
      restore: () => {
        end()
        mock.restoreAll()
      },
      remove: async () => {},
    }
  },
}

outageContract('memory with a directory', failingDisk)
