import { LoggableError } from '@snippets/application/remote-storage/loggable-error.js'
import { deadlineRunner, type Operation } from '@snippets/application/remote-storage/operation.js'
import { operationQueue } from '@snippets/application/remote-storage/queue.js'
import { rejected, unavailable } from '@snippets/domain/ports/errors.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { fakeTimers } from '../support/fake-timers.js'

const forbidden = new LoggableError('forbidden')
const deadlineMs = 1600
const { timers, pass } = fakeTimers()
const limits = { deadlineMs, timers }
const connected = () => Promise.resolve()
const settle = () => new Promise(setImmediate)

describe('An operation on a remote storage', () => {
  const notes: unknown[] = []
  const onFailure = (cause: unknown) => void notes.push(cause)
  const run = deadlineRunner({ ...limits, connect: connected, isRejection: error => error === forbidden, onFailure })

  beforeEach(() => void notes.splice(0))

  it('is Unavailable with the known outcome when its work throws', async () => {
    const gone = new LoggableError('gone')
    for (const outcome of ['unapplied', 'unknown'] as const) {
      const result = await run(async operation => {
        operation.outcome = outcome
        throw gone
      })
      expect(result).to.deep.equal(left(unavailable(outcome, gone)))
    }
    expect(notes).to.deep.equal([gone, gone])
  })

  it('is Rejected when its work throws a rejection, which is no failure of the database', async () => {
    const result = await run(async operation => {
      operation.outcome = 'unknown'
      throw forbidden
    })
    expect(result).to.deep.equal(left(rejected(forbidden)))
    expect(notes).to.deep.equal([])
  })

  it('does not begin when the connection opens after the deadline', async () => {
    let open = (): void => {}
    const connecting = () => new Promise<void>(resolve => (open = resolve))
    const late = deadlineRunner({ ...limits, connect: connecting, isRejection: () => false, onFailure })
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

  it('settles once, within the deadline, when its work does not finish', async () => {
    let operation: Operation | undefined
    let finish = (): void => {}
    const result = run(async given => {
      operation = given
      await new Promise<void>(resolve => (finish = resolve))
      return right(1)
    })
    await pass(deadlineMs)
    expect(await result).to.have.nested.property('left.outcome', 'unapplied')
    expect(operation?.isOver).to.equal(true)
    finish()
    await settle()
    expect(notes).to.have.length(1)
  })
})

describe('Operations in a queue', () => {
  /** A queue of two operations at a time. The test ends them. */
  const aQueue = () => {
    const ends: (() => void)[] = []
    const { run, queued } = operationQueue(timers, 2)
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

  it('are rejected at once when the queue is full, and when they have waited too long', async () => {
    const { ends, begin, queued } = aQueue()
    const results = Array.from({ length: 1002 }, begin)
    expect(await begin()).to.equal('rejected')
    await pass(500)
    expect(queued()).to.equal(0)
    for (const end of ends) end()
    expect(await Promise.all(results)).to.deep.equal(['done', 'done', ...Array(1000).fill('rejected')])
    const next = begin()
    ends.at(-1)?.()
    expect(await next).to.equal('done')
  })
})
