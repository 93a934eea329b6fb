import { rename } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { mock } from 'node:test'
import timers from 'node:timers/promises'
import type { MemoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { notFound } from '@snippets/domain/ports/errors.js'
import { expect } from 'chai'
import { ClassicLevel } from 'classic-level'
import { left, right } from 'fp-ts/lib/Either.js'
import { everything } from '../../contracts/storage/stream.js'
import { eventually } from '../../support/eventually.js'
import { anId, anyRevision, changes, draft, must, now } from '../../support/snippets.js'
import { directories, onBatch, openDirectory } from '../../support/storage/data-directory.js'

const broken = new Error('IO error: /data/000003.log: Input/output error')

describe('Storage in a data directory whose disk fails', () => {
  const newDirectory = directories()
  let directory: string
  let storage: MemoryStorage
  let failures: unknown[]
  let recoveries: number
  let batches: number

  const reopened = () =>
    openDirectory(directory, { onFailure: cause => failures.push(cause), onRecovery: () => recoveries++ })
  /** Stalls writing and closing until the returned function is called. */
  const hold = (then = (write: () => Promise<void>) => write()): (() => void) => {
    let open = (): void => {}
    const gate = new Promise<void>(resolve => {
      open = resolve
    })
    onBatch(write => {
      batches++
      return gate.then(() => then(write))
    })
    return open
  }
  /** Creates a snippet, and resolves when its batch has begun. */
  const beginBatch = async (title = 'slow') => {
    const creating = storage.snippets.create(draft({ title }))()
    await eventually(() => batches === 1)
    return { creating }
  }
  /** Stops the clock, but no timer. Returns a function that sets the clock forward. */
  const stopClock = (): ((ms: number) => void) => {
    let now = Math.ceil(performance.now())
    mock.method(performance, 'now', () => now)
    return ms => {
      now += ms
    }
  }
  const { setTimeout, setImmediate } = timers
  /** Replaces the timers of the storage, also where they are imported by name. */
  const replaceTimers = (pause: (ms?: number, value?: undefined, options?: object) => Promise<void>) => {
    const timer = mock.method(timers, 'setTimeout', pause)
    syncBuiltinESMExports()
    return timer
  }
  const skipTimers = () => replaceTimers(() => setImmediate())
  const timesOf = ({ mock }: ReturnType<typeof skipTimers>) => mock.calls.map(call => call.arguments[0] ?? 0)
  const titles = async () => (await everything(storage.snippets)).map(({ title }) => title)

  beforeEach(async () => {
    directory = await newDirectory()
    failures = []
    recoveries = 0
    batches = 0
    storage = await reopened()
    must(await storage.snippets.create(draft({ title: 'first' }))())
  })
  afterEach(async () => {
    mock.reset()
    syncBuiltinESMExports()
    await storage.close()
  })

  it('reports unknown for the writes of a failed batch, and unapplied for queued and later writes', async () => {
    const { snippets } = storage
    const fail = hold(() => Promise.reject(broken))
    const inBatch = [
      snippets.create(draft())(),
      snippets.update(anId(1n), changes({ title: 'new' }), anyRevision, now)(),
    ]
    await eventually(() => batches === 1)
    const behind = [snippets.delete(anId(1n), anyRevision)(), snippets.get(anId(9n))()]
    fail()
    for (const result of await Promise.all(inBatch)) expect(result).to.have.nested.property('left.outcome', 'unknown')
    expect(await behind[0]).to.have.nested.property('left.outcome', 'unapplied')
    expect(await behind[1]).to.deep.equal(left(notFound))
    mock.reset()
    for (const later of [snippets.create(draft()), snippets.delete(anId(9n), anyRevision)])
      expect(await later())
        .to.have.property('left')
        .that.includes({ outcome: 'unapplied', cause: broken })
    expect(await storage.check()).to.deep.equal(left(broken))
    expect(await titles()).to.deep.equal(['first'])
    expect(failures).to.deep.equal([broken])
  })

  it('forgets a failed batch that is not on the disk, and shares the unchanged snippets with the state before', async () => {
    const held = storage.heldBytes()
    const before = must(await storage.snippets.get(anId(1n))())
    const creating = () => storage.snippets.createOnce(draft(), { key: 'k', fingerprint: 'f' })()
    onBatch(() => Promise.reject(broken))
    await Promise.all([creating(), storage.snippets.delete(anId(1n), anyRevision)()])
    mock.reset()
    await eventually(() => recoveries > 0)
    expect(storage.heldBytes()).to.equal(held)
    expect(must(await storage.snippets.get(anId(1n))())).to.equal(before)
    expect(await titles()).to.deep.equal(['first'])
    expect(must(await creating())).to.have.property('isReplay', false)
  })

  it('shows a failed batch that is on the disk when it has reopened the directory', async () => {
    onBatch(write => write().then(() => Promise.reject(broken)))
    await storage.snippets.update(anId(1n), changes({ title: 'new' }), anyRevision, now)()
    mock.reset()
    await eventually(() => recoveries > 0)
    expect(await titles()).to.deep.equal(['new'])
  })

  it('doubles its pause before each attempt to reopen, until it has worked for more than 30 s', async () => {
    onBatch(() => Promise.reject(broken))
    const advance = stopClock()
    const timer = skipTimers()
    for (const [i, ms] of [0, 30_000, 30_000, 30_001].entries()) {
      advance(ms)
      await storage.snippets.create(draft())()
      await eventually(() => recoveries > i)
    }
    // shorter timers are ticks of the deadline of the disk
    expect(timesOf(timer).filter(ms => ms > 100)).to.deep.equal([250, 500, 1000, 250])
    expect(failures).to.have.length(4)
  })

  it('serves its snippets from memory while the directory is missing or replaced', async () => {
    const aside = `${directory}/aside`
    const other = `${directory}/other`
    const folder = `${directory}/snippets`
    await (await openDirectory(other)).close()
    onBatch(() => Promise.reject(broken))
    await storage.snippets.create(draft())()
    mock.reset()
    await rename(folder, aside)
    await eventually(() => failures.length > 1)
    await rename(`${other}/snippets`, folder)
    await eventually(() => /^Error: the directory: lacks writes/.test(String(failures.at(-1))))
    expect(recoveries).to.equal(0)
    expect(await titles()).to.deep.equal(['first'])
    await rename(folder, `${other}/snippets`)
    await rename(aside, folder)
    await eventually(() => recoveries > 0)
    expect(must(await storage.snippets.create(draft())()).id).to.equal(2n)
  }).timeout(20_000)

  it('closes while it waits to reopen the directory, and while it reopens it', async () => {
    onBatch(() => Promise.reject(broken))
    replaceTimers((_, ...rest) => setTimeout(600_000, ...rest))
    await storage.snippets.create(draft())()
    expect(await storage.close()).to.deep.equal(right(undefined))
    mock.restoreAll()
    syncBuiltinESMExports()
    storage = await reopened()

    onBatch(() => Promise.reject(broken))
    await storage.snippets.create(draft())()
    mock.reset()
    const { open } = ClassicLevel.prototype
    const closed = new Promise(resolve => {
      mock.method(ClassicLevel.prototype, 'open', function (this: ClassicLevel, ...args: Parameters<typeof open>) {
        resolve(storage.close())
        return Reflect.apply(open, this, args)
      })
    })
    await closed
    mock.reset()
    expect(await storage.snippets.create(draft())()).to.have.nested.property('left.outcome', 'unapplied')
    storage = await reopened()
    expect(await titles()).to.deep.equal(['first'])
    expect(recoveries).to.equal(0)
  })

  it('reports unapplied for a write that waits more than 1.2 s for a slow batch', async () => {
    const release = hold()
    const slow = await beginBatch()
    const advance = stopClock()
    const late = storage.snippets.create(draft({ title: 'late' }))()
    advance(1)
    const inTime = storage.snippets.create(draft({ title: 'in time' }))()
    advance(1200)
    release()
    must(await slow.creating)
    expect(await late).to.have.nested.property('left.outcome', 'unapplied')
    must(await inTime)
    expect(await titles()).to.deep.equal(['first', 'slow', 'in time'])
    expect(failures).to.deep.equal([])
  })

  it('applies all accepted writes when it closes, however long they have waited, and rejects new ones', async () => {
    const release = hold()
    const slow = await beginBatch()
    const advance = stopClock()
    const queued = Array.from({ length: 1500 }, () => storage.snippets.create(draft())())
    advance(2000)
    const closed = storage.close()
    expect(await storage.snippets.create(draft())()).to.have.nested.property('left.outcome', 'unapplied')
    release()
    await closed
    must(await slow.creating)
    for (const result of await Promise.all(queued)) must(result)
    storage = await reopened()
    expect(await titles()).to.have.length(1502)
  })

  it('gives a batch the rest of 2 s since its first write, in ticks of 0.1 s', async () => {
    const timer = skipTimers()
    timer.mock.mockImplementation(() => new Promise<never>(() => {}))
    let end = (): void => {}
    const second = new Promise<void>(resolve => (end = resolve))
    const release = hold(write => (batches === 1 ? write() : second))
    const slow = await beginBatch()
    const advance = stopClock()
    const behind = [storage.snippets.create(draft())()]
    advance(300)
    behind.push(storage.snippets.create(draft())())
    advance(700)
    timer.mock.resetCalls()
    timer.mock.mockImplementation(() => setImmediate())
    release()
    must(await slow.creating)
    for (const result of await Promise.all(behind)) expect(result).to.have.nested.property('left.outcome', 'unknown')
    // the last one is the pause before the directory is reopened
    expect(timesOf(timer)).to.deep.equal([...Array(10).fill(100), 250])
    expect(failures.map(String)).to.deep.equal(['Error: the disk did not answer in time'])
    end()
  })

  it('closes in bounded time, and tells, while the disk does not answer', async () => {
    const release = hold()
    const { creating } = await beginBatch()
    skipTimers()
    const closed = await storage.close()
    expect(closed).to.have.property('left').that.has.property('message', 'the disk did not answer in time')
    expect(await creating).to.have.nested.property('left.outcome', 'unknown')
    release()
  })

  it('sends the changes of one turn of the event loop to LevelDB as one synced batch', async () => {
    const batch = mock.method(ClassicLevel.prototype, 'batch')
    expect(await storage.snippets.delete(anId(9n), anyRevision)()).to.deep.equal(left(notFound))
    for (const created of await Promise.all([1, 2, 3].map(() => storage.snippets.create(draft())()))) must(created)
    expect(batch.mock.calls.map(call => [...call.arguments].at(-1))).to.deep.equal([{ sync: true }])
  })
})
