import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import type { MongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { Batcher } from '@snippets/adapters-mongo/snippets/batching.js'
import type { Id } from '@snippets/domain/id.js'
import { anyRevision } from '@snippets/domain/revision.js'
import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { describeMongo, freshDatabase, openPrepared, type TestDatabase } from '../support/mongo/database.js'
import { proxyTo, type TcpProxy } from '../support/mongo/tcp-proxy.js'
import { anId, changes, draft, must } from '../support/snippets.js'
import { virtualTime } from '../support/virtual-time.js'

const endOfTurn = () => new Promise(setImmediate)

/** A `run` that records its batches, and ends each when it is told to. */
const manualRun = () => {
  const batches: (readonly number[])[] = []
  const ends: (() => void)[] = []
  const run = (jobs: readonly number[]): Promise<void> => {
    batches.push(jobs)
    return new Promise(resolve => ends.push(resolve))
  }
  const end = async (batch: number): Promise<void> => {
    ends[batch]?.()
    await endOfTurn()
  }
  return { batches, run, end }
}

const never = 60_000

const isOver = (): boolean => false

describe('A batcher', () => {
  it('runs a lone job at the end of the turn of the event loop', async () => {
    const { batches, run } = manualRun()
    new Batcher(run, { isOver, size: 10, lanes: 1, stuckAfter: never }).add(1)
    expect(batches).to.deep.equal([])
    await endOfTurn()
    expect(batches).to.deep.equal([[1]])
  })

  it('runs the jobs of one turn together and in order, and those that arrive meanwhile as soon as it ends', async () => {
    const { batches, run, end } = manualRun()
    const batcher = new Batcher(run, { isOver, size: 10, lanes: 1, stuckAfter: never })
    for (const job of [1, 2]) batcher.add(job)
    await endOfTurn()
    for (const job of [3, 4]) batcher.add(job)
    await endOfTurn()
    expect(batches).to.deep.equal([[1, 2]])
    await end(0)
    expect(batches).to.deep.equal([
      [1, 2],
      [3, 4],
    ])
  })

  it('runs no more batches at once than there are lanes', async () => {
    const { batches, run, end } = manualRun()
    const batcher = new Batcher(run, { isOver, size: 10, lanes: 2, stuckAfter: never })
    for (const job of [1, 2, 3, 4]) {
      batcher.add(job)
      await endOfTurn()
    }
    expect(batches).to.deep.equal([[1], [2]])
    await end(1)
    expect(batches).to.deep.equal([[1], [2], [3, 4]])
  })

  it('puts no more jobs into a batch than its size, and does not wait for more', async () => {
    const { batches, run, end } = manualRun()
    const batcher = new Batcher(run, { isOver, size: 2, lanes: 1, stuckAfter: never })
    for (const job of [1, 2, 3, 4, 5]) batcher.add(job)
    expect(batches).to.deep.equal([[1, 2]])
    for (const batch of [0, 1]) await end(batch)
    expect(batches).to.deep.equal([[1, 2], [3, 4], [5]])
  })

  it('drops jobs that nobody waits for any more', async () => {
    const { batches, run } = manualRun()
    const over = new Set([1, 2])
    const batcher = new Batcher(run, { isOver: job => over.has(job), size: 10, lanes: 1, stuckAfter: never })
    for (const job of [1, 2, 3]) batcher.add(job)
    await endOfTurn()
    expect(batches).to.deep.equal([[3]])
  })

  it('runs nothing when nobody waits for any job', async () => {
    const { batches, run } = manualRun()
    const batcher = new Batcher(run, { isOver: () => true, size: 10, lanes: 1, stuckAfter: never })
    for (const job of [1, 2]) batcher.add(job)
    await endOfTurn()
    expect(batches).to.deep.equal([])
  })

  it('starts the next batch when one is stuck, with all jobs that wait', async () => {
    const { batches, run } = manualRun()
    const batcher = new Batcher(run, { isOver, size: 10, lanes: 1, stuckAfter: 0 })
    batcher.add(1)
    await endOfTurn()
    for (const job of [2, 3]) batcher.add(job)
    await endOfTurn()
    expect(batches).to.deep.equal([[1], [2, 3]])
  })

  it('finds a stuck batch without another job', async () => {
    const { batches, run } = manualRun()
    const batcher = new Batcher(run, { isOver, size: 10, lanes: 1, stuckAfter: 20 })
    batcher.add(1)
    await endOfTurn()
    for (const job of [2, 3]) batcher.add(job)
    await pause(100)
    expect(batches).to.deep.equal([[1], [2, 3]])
  })

  it('finds one stuck batch after the other', async () => {
    const time = virtualTime()
    const { batches, run } = manualRun()
    const batcher = new Batcher(run, { isOver, size: 10, lanes: 1, stuckAfter: 20 })
    for (const job of [1, 2, 3]) {
      batcher.add(job)
      await time.pass(15)
    }
    time.end()
    expect(batches).to.deep.equal([[1], [2], [3]])
  })
})

describeMongo('Batching on MongoDB', engine => {
  let database: TestDatabase
  let proxy: TcpProxy
  let storage: MongoStorage

  before(async () => {
    database = freshDatabase(engine)
    proxy = await proxyTo(database.url)
    storage = await openPrepared(proxy.url)
    await Promise.all(
      Array.from({ length: 200 }, (_, i) => storage.snippets.create(draft({ title: `row ${i + 1}` }))()),
    )
  })

  after(async () => {
    await storage.close()
    await proxy.close()
    await database.drop()
  })

  const sentDuring = async (run: () => Promise<unknown>): Promise<readonly string[]> => {
    const before = proxy.commands().length
    await run()
    return proxy.commands().filter((name, i) => i >= before && ['find', 'insert', 'findAndModify'].includes(name))
  }

  const read = async (id: Id): Promise<void> => {
    expect(must(await storage.snippets.get(id)()).id).to.equal(id)
  }

  it('sends less than a quarter of a command per read of 64 concurrent readers', async () => {
    const requests = 64 * 20
    const sent = await sentDuring(() =>
      Promise.all(
        Array.from({ length: 64 }, async (_, reader) => {
          for (let i = 0; i < 20; i++) await read(anId(BigInt(((reader * 31 + i * 7) % 200) + 1)))
        }),
      ),
    )
    expect(sent.length).to.be.below(requests / 4)
  })

  it('sends less than a quarter of a command per snippet of 64 concurrent writers', async () => {
    const requests = 64 * 10
    const ids = new Set<Id>()
    const sent = await sentDuring(() =>
      Promise.all(
        Array.from({ length: 64 }, async (_, writer) => {
          for (let i = 0; i < 10; i++) {
            const title = `by ${writer}, ${i}`
            const snippet = must(await storage.snippets.create(draft({ title }))())
            expect(snippet.title).to.equal(title)
            ids.add(snippet.id)
          }
        }),
      ),
    )
    expect(sent.length).to.be.below(requests / 4)
    expect(ids.size).to.equal(requests)
  })

  it('sends one command for a lone reader', async () => {
    expect(await sentDuring(() => read(anId(7n)))).to.deep.equal(['find'])
  })

  it('sends one step of the counter and one insert for a lone writer', async () => {
    const sent = await sentDuring(() => storage.snippets.create(draft())())
    expect(sent).to.deep.equal(['findAndModify', 'insert'])
  })

  it('tells how many operations each batch has', async () => {
    const told: [string, number][] = []
    const telling = await openPrepared(database.url, {
      onBatch: (operation, size) => void told.push([operation, size]),
    })
    const created = await Promise.all(Array.from({ length: 5 }, () => telling.snippets.create(draft())()))
    await Promise.all(created.map(snippet => telling.snippets.get(must(snippet).id)()))
    await telling.close()
    expect(told).to.deep.equal([
      ['snippets.create', 5],
      ['snippets.get', 5],
    ])
  })

  it('fails only the creates whose documents the database refuses', async () => {
    await database.db.collection('snippets').deleteMany({})
    await database.db.collection('snippets').createIndex({ code: 1 }, { name: 'one of a code', unique: true })
    const codes = Array.from({ length: 30 }, (_, i) => (i % 10 === 9 ? 'the same' : `code ${i}`))
    const answers = await Promise.all(codes.map(code => storage.snippets.create(draft({ code }))()))
    const stored = await database.db.collection('snippets').find().toArray()
    expect(answers.filter(isRight)).to.have.length(28)
    expect(stored).to.have.length(28)
    for (const [i, answer] of answers.entries()) {
      if (isRight(answer)) expect(answer.right.code).to.equal(codes[i])
      else expect(answer.left).to.include({ _tag: 'Unavailable', outcome: 'unapplied' })
    }
  })

  it('says of a refused row only with which code', async () => {
    const snippets = database.db.collection('snippets')
    await snippets.deleteMany({})
    const { id } = must(await storage.snippets.create(draft({ code: 'open' }))())
    must(await storage.snippets.create(draft({ code: 'secret' }))())
    const updated = await storage.snippets.update(id, changes({ code: 'secret' }), anyRevision)()
    expect(inspect(updated, { depth: null }))
      .to.match(/Error: the database refused a row with code 11000\n/)
      .and.not.match(/secret/)
    expect(updated).to.have.nested.property('left.outcome', 'unapplied')
  })
})
