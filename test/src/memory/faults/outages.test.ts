import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import { type BreakableData, outageContract } from '../../contracts/storage/outage-contract.js'
import { onBatch, openDirectory } from '../../support/storage/data-directory.js'

const broken = new Error('IO error: Input/output error')

/** The faults of a disk. Each handles a batch of LevelDB; `restored` resolves at the end of the fault. */
const faults: Readonly<Record<string, (write: () => Promise<void>, restored: Promise<void>) => Promise<void>>> = {
  'writes fail': () => Promise.reject(broken),
  'writes hang': (write, restored) => restored.then(write),
  'writes fail after they were applied': write => write().then(() => Promise.reject(broken)),
}

/** A directory on a disk that can fail. A fault concerns every directory of this process. */
const onFailingDisk = (fault: string): BreakableData => {
  const directory = mkdtempSync(join(tmpdir(), 'failing-'))
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
      mock.reset()
    },
    remove: async () => rmSync(directory, { recursive: true }),
  }
}

const mountSmall = (directory: string): void =>
  void execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', directory], { stdio: 'ignore' })

/** A directory on a small disk that another program fills. */
const onFullDisk = (): BreakableData => {
  const directory = mkdtempSync(join(tmpdir(), 'full-'))
  mountSmall(directory)
  const ballast = join(directory, 'ballast')
  return {
    open: users => openDirectory(directory, { users }),
    break: () => {
      try {
        for (;;) appendFileSync(ballast, Buffer.alloc(1024))
      } catch {}
    },
    restore: () => rmSync(ballast),
    remove: async () => {
      execFileSync('umount', [directory])
      rmSync(directory, { recursive: true })
    },
  }
}

/** Whether this user may mount a file system. */
const canMount = (): boolean => {
  const folder = mkdtempSync(join(tmpdir(), 'mounted-'))
  try {
    mountSmall(folder)
    execFileSync('umount', [folder])
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true })
  }
}

outageContract('memory with a directory', {
  faults: {
    gone: ['writes fail', ...(canMount() ? ['the disk is full'] : [])],
    silent: ['writes hang'],
    answersLost: ['writes fail after they were applied'],
    deadPeers: 'no connections',
    lostConnections: 'no connections',
  },
  isRemote: false,
  parallelFaults: 1,
  create: async fault => (fault === 'the disk is full' ? onFullDisk() : onFailingDisk(fault)),
})
