import { stat } from 'node:fs/promises'
import { withinDiskDeadline } from '@snippets/adapters-memory/leveldb/write-queue.js'
import { expect } from 'chai'

describe('The deadline of the disk', () => {
  const suspend = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

  it('accepts work that ends while the process is suspended for longer', async () => {
    const work = withinDiskDeadline(stat('.'), 200)
    // like SIGSTOP and SIGCONT: the disk goes on, and timers are due before the event loop polls
    suspend(300)
    expect(await work).to.equal(undefined)
  })

  it('does not count the time in which the process is suspended', async () => {
    const work = new Promise(resolve => setTimeout(resolve, 350))
    const result = withinDiskDeadline(work, 200)
    setImmediate(() => suspend(300))
    expect(await result).to.equal(undefined)
  })
})
