import { maxAnswerMs } from '@snippets/domain/ports/stores.js'
import { createDeadlineRunner, deadlineMs } from '@snippets/remote-storage/job.js'
import { createJobQueue, tooManyQueued } from '@snippets/remote-storage/queue.js'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { mockTime } from '../support/mock-time.js'
import { must } from '../support/snippets.js'

const forbidden = new Error('forbidden: "a text of an author"')
const connected = () => Promise.resolve()
const settle = () => new Promise(setImmediate)

describe('A job on a remote storage', () => {
  const pass = mockTime()
  const notes: unknown[] = []
  const onFailure = (cause: unknown) => void notes.push(cause)
  let successes = 0
  const onSuccess = () => void successes++
  const options = { isRejection: (error: unknown) => error === forbidden, onFailure, onSuccess }
  const run = createDeadlineRunner({ ...options, connect: connected })

  beforeEach(() => void notes.splice(0))

  for (const outcome of ['unapplied', 'unknown'] as const)
    it(`is Unavailable, with its outcome ${outcome} and the redacted error, when its work throws`, async () => {
      const result = await run(async job => {
        job.outcome = outcome
        throw new Error('gone: "a text of an author"')
      })
      expect(result).to.have.nested.property('left.outcome', outcome)
      expect(result).to.have.nested.property('left.cause.message', 'gone:')
      expect(notes.map(String)).to.deep.equal(['Error: gone:'])
    })

  it('is Rejected with the redacted error when its work throws a rejection, which is no failure of the database', async () => {
    const result = await run(async job => {
      job.outcome = 'unknown'
      throw forbidden
    })
    expect(result).to.have.nested.property('left._tag', 'Rejected')
    expect(result).to.have.nested.property('left.cause.message', 'forbidden:')
    expect(notes).to.deep.equal([])
  })

  it('reports a success for a Right, but not for the Left of a full queue', async () => {
    successes = 0
    expect(await run(async () => tooManyQueued)).to.equal(tooManyQueued)
    expect(successes).to.equal(0)
    expect(await run(async () => right(1))).to.deep.equal(right(1))
    expect(successes).to.equal(1)
  })

  it('leaves no timer when it ends in time', async () => {
    const signal = must(await run(async job => right(job.signal)))
    await pass(deadlineMs)
    expect(signal.aborted).to.equal(false)
  })

  it('does not begin when the connection opens after the deadline', async () => {
    let open = (): void => {}
    const connecting = () => new Promise<void>(resolve => (open = resolve))
    const late = createDeadlineRunner({ ...options, connect: connecting })
    let hasBegun = false
    const result = late(async () => {
      hasBegun = true
      return right(1)
    })
    await pass(deadlineMs)
    expect(await result).to.have.nested.property('left.outcome', 'unapplied')
    open()
    await settle()
    expect(hasBegun).to.equal(false)
  })

  for (const how of ['returns', 'throws'] as const)
    it(`settles, ends and fails once, at the deadline, when its work ${how} later`, async () => {
      let finish = (): void => {}
      let ends = 0
      const result = run(async ({ signal }) => {
        signal.addEventListener('abort', () => ends++)
        await new Promise<void>(resolve => (finish = resolve))
        return how === 'returns' ? right(1) : expect.fail('planted')
      })
      await pass(deadlineMs)
      expect(await result).to.have.nested.property('left.outcome', 'unapplied')
      finish()
      await settle()
      expect(ends).to.equal(1)
      expect(notes.map(String)).to.deep.equal(['Error: no answer from the database within 1600 ms'])
    })
})

describe('Jobs in a queue', () => {
  const pass = mockTime()
  /** A queue of two jobs at a time. The test ends them. */
  const aQueue = () => {
    const ends: (() => void)[] = []
    const { run, queued } = createJobQueue(2)
    const work = () => new Promise<string>(resolve => ends.push(() => resolve('done')))
    return { ends, begin: () => run(work, () => 'rejected'), queued }
  }

  it('begin in their order, two at a time', async () => {
    const { ends, begin, queued } = aQueue()
    const results = [begin(), begin(), begin(), begin()]
    expect(queued()).to.equal(2)
    for (const begun of [2, 3, 4, 4]) {
      expect(ends).to.have.length(begun)
      ends[4 - results.length]?.()
      expect(await results.shift()).to.equal('done')
      await settle()
    }
    expect(queued()).to.equal(0)
  })

  it('are rejected at once when the queue is full, and when they have waited so long that they could end too late', async () => {
    const { ends, begin, queued } = aQueue()
    const results = Array.from({ length: 1002 }, begin)
    expect(await begin()).to.equal('rejected')
    await pass(maxAnswerMs - deadlineMs - 1)
    expect(queued()).to.equal(0)
    for (const end of ends) end()
    expect(await Promise.all(results)).to.deep.equal(['done', 'done', ...Array(1000).fill('rejected')])
    const next = begin()
    ends.at(-1)?.()
    expect(await next).to.equal('done')
  })
})
