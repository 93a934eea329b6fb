import { createBatcher } from '@snippets/remote-storage/batches.js'
import { tooManyQueued } from '@snippets/remote-storage/queue.js'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { mockTime } from '../support/mock-time.js'

const settle = async (): Promise<void> => {
  for (let i = 0; i < 3; i++) await new Promise(setImmediate)
}

describe('Jobs in batches', () => {
  const pass = mockTime()

  /** One batch at a time. The test ends it. */
  const batches = () => {
    const begun: (readonly number[])[] = []
    const ends: (() => void)[] = []
    const run = createBatcher(1, async (jobs: readonly number[]) => {
      begun.push(jobs)
      await new Promise<void>(resolve => ends.push(resolve))
      return jobs.map(job => right(-job))
    })
    return { begun, ends, add: (job: number) => run(job)() }
  }

  it('share a batch when they arrive in one turn or while another batch is in flight, and get their own results', async () => {
    const { begun, ends, add } = batches()
    const first = [add(1), add(2), add(2)]
    await settle()
    const second = [add(3)]
    await settle()
    second.push(add(4))
    await settle()
    expect(begun).to.deep.equal([[1, 2, 2]])
    ends[0]?.()
    await settle()
    expect(begun).to.deep.equal([
      [1, 2, 2],
      [3, 4],
    ])
    ends[1]?.()
    expect(await Promise.all([...first, ...second])).to.deep.equal([-1, -2, -2, -3, -4].map(right))
  })

  it('are rejected at once when a whole batch waits', async () => {
    const { begun, ends, add } = batches()
    const first = add(0)
    await settle()
    const waiting = Array.from({ length: 999 }, (_, i) => add(i + 1))
    expect(await add(1000)).to.deep.equal(tooManyQueued)
    ends[0]?.()
    await settle()
    ends[1]?.()
    await Promise.all([first, ...waiting])
    expect(begun.map(({ length }) => length)).to.deep.equal([1, 999])
  })

  it('begin within the deadline although the previous batch does not end', async () => {
    const { begun, ends, add } = batches()
    const results = [add(1)]
    await settle()
    results.push(add(2))
    await settle()
    await pass(500)
    expect(begun).to.deep.equal([[1], [2]])
    for (const end of ends) end()
    expect(await Promise.all(results)).to.deep.equal([-1, -2].map(right))
  })
})
