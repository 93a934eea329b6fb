import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import { type OutageHarness, outageContract } from '../../contracts/storage/outage-contract.js'
import { onBatch, openDirectory } from '../../support/storage/data-directory.js'

const newFolder = () => mkdtemp(join(tmpdir(), 'failing-'))
const sizeMB = 16
const mount = (folder: string) =>
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMB}m`, 'tmpfs', folder], { stdio: 'ignore' })
const unmount = (folder: string) => execFileSync('umount', [folder])

const mayMount = async (): Promise<boolean> => {
  const folder = await newFolder()
  try {
    mount(folder)
    unmount(folder)
    return true
  } catch {
    return false
  } finally {
    await rm(folder, { recursive: true })
  }
}

const fullDisk = 'a full disk'
const broken = new Error('IO error: Input/output error')

/** Other faults of a disk. Each handles a batch of LevelDB; `restored` resolves at the end of the fault. */
const faults: Readonly<Record<string, (write: () => Promise<void>, restored: Promise<void>) => Promise<void>>> = {
  'writes fail': () => Promise.reject(broken),
  'writes hang': (write, restored) => restored.then(write),
  'writes fail after they were applied': write => write().then(() => Promise.reject(broken)),
}

/** Data directories on a disk that can fail. A fault concerns every directory of this process. */
const failingDisk: OutageHarness = {
  faults: {
    gone: [(await mayMount()) ? fullDisk : 'writes fail'],
    silent: ['writes hang'],
    answersLost: ['writes fail after they were applied'],
    deadPeers: 'no connections',
    lostConnections: 'no connections',
  },
  isRemote: false,
  parallelFaults: 1,
  create: async fault => {
    const directory = await newFolder()
    if (fault === fullDisk) mount(directory)
    const ballast = join(directory, 'ballast')
    let end = (): void => {}
    return {
      open: users => openDirectory(directory, { users }),
      break: async () => {
        if (fault === fullDisk) return writeFile(ballast, Buffer.alloc(sizeMB * 1024 * 1024)).catch(() => {})
        const restored = new Promise<void>(resolve => {
          end = resolve
        })
        onBatch(write => faults[fault]?.(write, restored) ?? write())
      },
      restore: async () => {
        end()
        mock.restoreAll()
        await rm(ballast, { force: true })
      },
      remove: async () => {
        if (fault === fullDisk) unmount(directory)
        await rm(directory, { recursive: true })
      },
    }
  },
}

outageContract('memory with a directory', failingDisk)
