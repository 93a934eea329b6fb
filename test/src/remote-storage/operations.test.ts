import { LoggableError } from '@snippets/application/remote-storage/loggable-error.js'
import { deadlineRunner, type Operation } from '@snippets/application/remote-storage/operation.js'
import { operationQueue } from '@snippets/application/remote-storage/queue.js'
import { rejected, type StorageError, unavailable } from '@snippets/domain/ports/errors.js'
import { expect } from 'chai'
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { fakeTimers } from '../support/fake-timers.js'

const tooMany = left(unavailable('unapplied', undefined))
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

  it('returns the result of its work', async () => {
    expect(await run(async () => right(1))).to.deep.equal(right(1))
    expect(await run(async () => left('missing'))).to.deep.equal(left('missing'))
    expect(notes).to.deep.equal([])
  })

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
  /** A queue of two operations at a time. The test ends their work. */
  const aQueue = () => {
    const ends: (() => void)[] = []
    const withDeadline = deadlineRunner({
      ...limits,
      connect: connected,
      isRejection: () => false,
      onFailure: () => {},
    })
    const { run, queued } = operationQueue(timers, 2)
    const work = () => new Promise<Either<never, number>>(resolve => ends.push(() => resolve(right(1))))
    const begin = () =>
      run<Either<StorageError, number>>(
        () => withDeadline(work),
        () => tooMany,
      )
    return { ends, begin, queued }
  }

  it('begin in their order, two at a time', async () => {
    const { ends, begin, queued } = aQueue()
    const results = [begin(), begin(), begin(), begin()]
    await settle()
    expect(queued()).to.equal(2)
    expect(ends).to.have.length(2)
    ends[0]?.()
    await settle()
    expect(ends).to.have.length(3)
    for (let i = 1; i < 4; i++) {
      ends[i]?.()
      await settle()
    }
    expect(await Promise.all(results)).to.deep.equal(Array(4).fill(right(1)))
    expect(queued()).to.equal(0)
  })

  it('are rejected at once when the queue is full', async () => {
    const { ends, begin } = aQueue()
    const results = Array.from({ length: 1002 }, begin)
    expect(await begin()).to.deep.equal(tooMany)
    for (let i = 0; i < 1002; i++) {
      if (ends[i] === undefined) await settle()
      ends[i]?.()
    }
    expect(await Promise.all(results)).to.deep.equal(Array(1002).fill(right(1)))
  })

  it('all settle within the deadline when no work ends, and leave the queue empty', async () => {
    const { ends, begin } = aQueue()
    const results = Array.from({ length: 100 }, begin)
    await pass(deadlineMs)
    for (const result of await Promise.all(results)) expect(result).to.have.nested.property('left.outcome', 'unapplied')
    const next = begin()
    await settle()
    ends.at(-1)?.()
    expect(await next).to.deep.equal(right(1))
  })
})
