import { rename } from 'node:fs/promises'
import { mock } from 'node:test'
import type { MemoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { anyRevision } from '@snippets/domain/entities/revision.js'
import { notFound } from '@snippets/domain/ports/errors.js'
import { expect } from 'chai'
import { ClassicLevel } from 'classic-level'
import { left } from 'fp-ts/lib/Either.js'
import { everything } from '../../contracts/storage/stream.js'
import { eventually } from '../../support/eventually.js'
import { anId, changes, draft, must } from '../../support/snippets.js'
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
  /** Lets this time pass on the clock, but not for timers. */
  const advance = (ms: number): void => {
    const now = performance.now.bind(performance)
    mock.method(performance, 'now', () => now() + ms)
  }
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
    await storage.close()
  })

  it('reports unknown for the writes of a failed batch, and unapplied for queued and later writes', async () => {
    const { snippets } = storage
    const fail = hold(() => Promise.reject(broken))
    const inBatch = [snippets.create(draft())(), snippets.update(anId(1n), changes({ title: 'new' }), anyRevision)()]
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

  it('doubles the pause when writes fail right after a recovery', async () => {
    onBatch(() => Promise.reject(broken))
    const failedAt = performance.now()
    for (const count of [1, 2]) {
      await storage.snippets.create(draft())()
      await eventually(() => recoveries === count)
    }
    expect(performance.now() - failedAt).to.be.above(250 + 500 - 10)
    expect(failures).to.have.length(2)
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
    await eventually(() => /lacks writes/.test(String(failures.at(-1))))
    expect(recoveries).to.equal(0)
    expect(await titles()).to.deep.equal(['first'])
    await rename(folder, `${other}/snippets`)
    await rename(aside, folder)
    await eventually(() => recoveries > 0)
    expect(must(await storage.snippets.create(draft())()).id).to.equal(2n)
  }).timeout(20_000)

  it('closes while it waits to reopen the directory, and while it reopens it', async () => {
    onBatch(() => Promise.reject(broken))
    await storage.snippets.create(draft())()
    await storage.close()
    storage = await reopened()

    await storage.snippets.create(draft())()
    mock.reset()
    const { open } = ClassicLevel.prototype
    const closed = new Promise<void>(resolve => {
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

  it('reports unapplied for a write that waits more than 1.4 s for a slow batch', async () => {
    const release = hold()
    const slow = await beginBatch()
    const late = storage.snippets.create(draft({ title: 'late' }))()
    advance(1300)
    const inTime = storage.snippets.create(draft({ title: 'in time' }))()
    advance(200)
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
    const queued = Array.from({ length: 1500 }, () => storage.snippets.create(draft())())
    advance(1500)
    const closed = storage.close()
    expect(await storage.snippets.create(draft())()).to.have.nested.property('left.outcome', 'unapplied')
    release()
    await closed
    must(await slow.creating)
    for (const result of await Promise.all(queued)) must(result)
    storage = await reopened()
    expect(await titles()).to.have.length(1502)
  })

  it('gives a batch less time when its writes have waited', async () => {
    let end = (): void => {}
    const second = new Promise<void>(resolve => {
      end = resolve
    })
    const release = hold(write => (batches === 1 ? write() : second))
    const slow = await beginBatch()
    const behind = storage.snippets.create(draft())()
    advance(1300)
    release()
    must(await slow.creating)
    expect(await behind).to.have.nested.property('left.outcome', 'unknown')
    end()
  })

  it('closes in bounded time while the disk does not answer', async () => {
    const release = hold()
    const writing = storage.snippets.create(draft())()
    await storage.close()
    expect(await writing).to.have.nested.property('left.outcome', 'unknown')
    release()
  }).timeout(10_000)

  it('shows a write only when it is on the disk', async () => {
    const release = hold()
    const creating = storage.snippets.create(draft({ title: 'new' }))()
    const deleting = storage.snippets.delete(anId(1n), anyRevision)()
    await eventually(() => batches === 1)
    expect(await titles()).to.deep.equal(['first'])
    release()
    must(await creating)
    must(await deleting)
    expect(await titles()).to.deep.equal(['new'])
  })

  it('sends the writes of one turn of the event loop to LevelDB as one synced batch', async () => {
    const batch = mock.method(ClassicLevel.prototype, 'batch')
    for (const created of await Promise.all([1, 2, 3].map(() => storage.snippets.create(draft())()))) must(created)
    expect(batch.mock.calls.map(call => [...call.arguments].at(-1))).to.deep.equal([{ sync: true }])
  })
})
