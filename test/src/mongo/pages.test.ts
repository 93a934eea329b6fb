import { setTimeout as pause } from 'node:timers/promises'
import { readPage, readStretch } from '@snippets/adapters-mongo/documents/page-reader.js'
import { SharedCounts } from '@snippets/adapters-mongo/documents/shared-counts.js'
import type { MongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { type Count, type Filter, windowOf } from '@snippets/domain/page.js'
import { anyRevision } from '@snippets/domain/revision.js'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { type Collection, type Document, type FindOptions, MongoServerError } from 'mongodb'
import { describeMongo, freshDatabase, openPrepared, type TestDatabase } from '../support/mongo/database.js'
import { proxyTo } from '../support/mongo/tcp-proxy.js'
import { byId } from '../support/queries.js'
import { anId, draft, must } from '../support/snippets.js'

describeMongo('Pages in MongoDB', engine => {
  let database: TestDatabase
  let storage: MongoStorage

  before(async () => {
    database = freshDatabase(engine)
    storage = await openPrepared(database.url)
  })

  after(async () => {
    await storage.close()
    await database.drop()
  })

  const read = async (filter: Filter, page: number, size: number) => {
    const found = must(await storage.snippets.page({ filter, ordering: byId, window: windowOf(page, size) })())
    return { count: found.count, items: found.items.length }
  }

  it('are empty before anything is stored', async () => {
    expect(await read({}, 1, 10)).to.deep.equal({ count: 0, items: 0 })
    expect(await read({ language: 'none' }, 4, 10)).to.deep.equal({ count: 0, items: 0 })
  })

  it('have an exact count, full or not and also past the end, as rows come and go', async () => {
    for (let round = 1; round <= 4; round++) {
      await Promise.all(
        Array.from({ length: 60 }, (_, i) => storage.snippets.create(draft({ language: i % 2 ? 'odd' : 'even' }))()),
      )
      for (let id = 60 * round - 59; id <= 60 * round - 20; id++) {
        must(await storage.snippets.delete(anId(BigInt(id)), anyRevision)())
      }
      const all = await database.db.collection('snippets').find().toArray()
      for (const filter of [{}, { language: 'odd' }, { language: 'none' }]) {
        const count = all.filter(({ language }) => (filter.language ?? language) === language).length
        expect(await read(filter, 1, 7)).to.deep.equal({ count, items: Math.min(7, count) })
        expect(await read(filter, 1, 100)).to.deep.equal({ count, items: count })
        expect(await read(filter, 50, 7)).to.deep.equal({ count, items: 0 })
        expect(await read(filter, Number.MAX_SAFE_INTEGER, 100)).to.deep.equal({ count, items: 0 })
      }
    }
  })

  it('that prove their count themselves ask for none', async () => {
    const proxy = await proxyTo(database.url)
    const watched = await openPrepared(proxy.url)
    const own = (title: string, count: number) =>
      Promise.all(Array.from({ length: count }, () => watched.snippets.create(draft({ title }))()))
    await own('full', 7)
    await own('one more', 8)
    const commandsOf = async (title: string, page: number) => {
      const before = proxy.commands().length
      const query = { filter: { title }, ordering: byId, window: windowOf(page, 7) }
      const { count } = must(await watched.snippets.page(query)())
      return [count, ...proxy.commands().slice(before)].filter(command => command !== 'hello' && command !== 'ping')
    }
    expect(await commandsOf('none', 1)).to.deep.equal([0, 'find'])
    expect(await commandsOf('full', 1)).to.deep.equal([7, 'find'])
    expect(await commandsOf('one more', 2)).to.deep.equal([8, 'find'])
    expect(await commandsOf('one more', 1)).to.deep.equal([8, 'find', 'aggregate'])
    expect(await commandsOf('full', 2)).to.deep.equal([7, 'find', 'aggregate'])
    await watched.close()
    await proxy.close()
  })

  it('lead on to the next while rows are written and deleted, and are never said to be the last too early', async () => {
    const language = 'busy'
    await Promise.all(Array.from({ length: 40 }, () => storage.snippets.create(draft({ language }))()))
    let isOver = false
    const writing = (async () => {
      while (!isOver) {
        const { id } = must(await storage.snippets.create(draft({ language }))())
        must(await storage.snippets.delete(id, anyRevision)())
      }
    })()
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let i = 0; i < 20; i++) {
          const { count, items } = await read({ language }, 1 + (i % 4), 10)
          expect(items).to.equal(10)
          expect(count).to.be.within(40, 41)
        }
      }),
    )
    isOver = true
    await writing
  })

  it('count what was created and deleted before they were asked for', async () => {
    const language = 'own'
    for (let count = 1; count <= 15; count++) {
      await Promise.all([
        storage.snippets.create(draft({ language }))(),
        ...Array.from({ length: 5 }, () => read({ language }, 1, 5)),
      ])
      const counts = await Promise.all(Array.from({ length: 5 }, () => read({ language }, 1, 5)))
      expect(new Set(counts.map(found => found.count))).to.deep.equal(new Set([count]))
    }
  })

  it('after the delete of the last row of all are empty and say how many are left', async () => {
    const filter = { language: 'last' }
    await Promise.all(Array.from({ length: 7 }, () => storage.snippets.create(draft(filter))()))
    const last = must(await storage.snippets.create(draft(filter))())
    expect(await read(filter, 2, 7)).to.deep.equal({ count: 8, items: 1 })
    must(await storage.snippets.delete(last.id, anyRevision)())
    expect(await read(filter, 2, 7)).to.deep.equal({ count: 7, items: 0 })
    expect(await read(filter, 1, 7)).to.deep.equal({ count: 7, items: 7 })
  })
})

describe('A page whose count', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, i) => ({ _id: i }))

  /** A collection of so many rows. */
  const holding = (stored: number, answersAfterMs = 0) =>
    ({
      find: (_: object, { skip = 0, limit = 0 }: FindOptions) => ({
        toArray: async () => {
          if (answersAfterMs > 0) await pause(answersAfterMs)
          return rows(stored).slice(skip, skip + limit)
        },
      }),
    }) as unknown as Collection
  const request = (page: number) => ({
    filter: {},
    sort: { _id: 1 } as const,
    window: windowOf(page, 10),
    decode: (row: Document) => right(row),
  })

  /** Reads a page of ten where the database has this many rows, and counts like this. */
  const readWhere = async (stored: number, page: number, count: () => Promise<Count>) => {
    const { items, ...counted } = must(await readPage(holding(stored), new SharedCounts(count), request(page)))
    return { ...counted, items: items.length }
  }

  /** The same from a position in the list on. */
  const readBeside = async (stored: number, count: () => Promise<Count>) => {
    const stretch = { matching: {}, sort: { _id: 1 }, isBackwards: false } as const
    const page = await readStretch(holding(stored), new SharedCounts(count), request(1), stretch)
    const { items, ...counted } = must(page)
    return { ...counted, items: items.length }
  }
  const tooLong = async (): Promise<Count> => {
    throw new MongoServerError({ code: 50, codeName: 'MaxTimeMSExpired' })
  }

  it('takes too long has as many as were seen, and more', async () => {
    expect(await readWhere(100, 3, tooLong)).to.deep.equal({ count: 31, countIsLowerBound: true, items: 10 })
    expect(await readWhere(100, 3, () => new Promise(() => {}))).to.deep.equal({
      count: 31,
      countIsLowerBound: true,
      items: 10,
    })
    expect(await readWhere(100, 12, tooLong)).to.deep.equal({ count: 0, countIsLowerBound: true, items: 0 })
    expect(await readWhere(100, 10, tooLong)).to.deep.equal({ count: 100, items: 10 })
  })

  it('takes too long is shown all the same when it is beside a position', async () => {
    const expected = { count: 11, countIsLowerBound: true, hasMore: true, items: 10 }
    expect(await readBeside(100, tooLong)).to.deep.equal(expected)
    expect(await readBeside(100, () => new Promise(() => {}))).to.deep.equal(expected)
  })

  it('fails fails, at once or while the rows are read', async () => {
    const counts = new SharedCounts(async (): Promise<Count> => {
      throw new Error('gone')
    })
    const slow = holding(100, 20)
    const stretch = { matching: {}, sort: { _id: 1 }, isBackwards: false } as const
    const reads = [
      () => readPage(holding(100), counts, request(1)),
      () => readPage(slow, counts, request(1)),
      () => readStretch(slow, counts, request(1), stretch),
    ]
    for (const read of reads) {
      // the page shares the next count, which nobody else awaits
      counts.of({}).catch(() => {})
      expect(await read().catch((error: unknown) => error)).to.have.property('message', 'gone')
    }
  })

  it('is a lower bound says so', async () => {
    const bound = async (): Promise<Count> => ({ count: 10_000, countIsLowerBound: true })
    expect(await readWhere(100, 3, bound)).to.deep.equal({ count: 10_000, countIsLowerBound: true, items: 10 })
  })

  it('was taken at another moment agrees with what was read', async () => {
    expect(await readWhere(100, 1, async () => ({ count: 4 }))).to.deep.equal({ count: 11, items: 10 })
    expect(await readWhere(3, 4, async () => ({ count: 99 }))).to.deep.equal({ count: 30, items: 0 })
  })
})

describe('Shared counts', () => {
  /** Counts that answer when they are told to. */
  const manual = () => {
    const runs: ((count: Count) => void)[] = []
    const counts = new SharedCounts(() => new Promise<Count>(resolve => runs.push(resolve)))
    const end = async (run: number, count: Count): Promise<void> => {
      runs[run]?.(count)
      await new Promise(setImmediate)
    }
    return { counts, runs, end }
  }
  const filter = { language: 'go' }

  it('run once at a time; who comes meanwhile shares the next', async () => {
    const { counts, runs, end } = manual()
    const first = counts.of(filter)
    const later = [counts.of(filter), counts.of(filter)]
    expect(runs).to.have.length(1)
    await end(0, { count: 1 })
    expect(runs).to.have.length(2)
    await end(1, { count: 2 })
    expect(await Promise.all([first, ...later])).to.deep.equal([{ count: 1 }, { count: 2 }, { count: 2 }])
    void counts.of(filter)
    expect(runs).to.have.length(3)
  })

  it('of other filters do not wait', () => {
    const { counts, runs } = manual()
    void counts.of(filter)
    void counts.of({ language: 'rust' })
    expect(runs).to.have.length(2)
  })

  it('go on after one that failed', async () => {
    let runs = 0
    const counts = new SharedCounts(async () => {
      if (++runs === 1) throw new Error('gone')
      return { count: runs }
    })
    const answers = await Promise.allSettled([counts.of(filter), counts.of(filter)])
    expect(answers.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled'])
  })

  const slow = { count: 10_000 }
  /** A filter of many matches, counted once, which took long. */
  const countedSlowly = async () => {
    const all = manual()
    void all.counts.of(filter)
    await pause(120)
    await all.end(0, slow)
    return all
  }

  it('that are slow are remembered until this process writes', async () => {
    const { counts, runs, end } = await countedSlowly()
    expect(await counts.of(filter)).to.equal(slow)
    expect(runs).to.have.length(1)
    counts.outdate()
    void counts.of(filter)
    void counts.of(filter)
    expect(runs).to.have.length(2)
    counts.outdate()
    const afterTheWrite = counts.of(filter)
    await end(1, { count: 10_001 })
    await end(2, { count: 10_002 })
    expect(await afterTheWrite).to.deep.equal({ count: 10_002 })
  })

  it('that are small are never remembered', async () => {
    const { counts, runs, end } = manual()
    void counts.of(filter)
    await pause(120)
    await end(0, { count: 9_999 })
    void counts.of(filter)
    expect(runs).to.have.length(2)
  })

  it('that take too long are not tried again for a while, whatever is written', async () => {
    const { counts, runs, end } = manual()
    const bound = { count: 10_000, countIsLowerBound: true } as const
    void counts.of(filter)
    await end(0, bound)
    counts.outdate()
    expect(await counts.of(filter)).to.equal(bound)
    expect(runs).to.have.length(1)
  })

  it('keep a thousand filters', async () => {
    const counts = new SharedCounts<{ title: string }>(async () => ({ count: 1 }))
    for (let i = 0; i <= 1000; i++) await counts.of({ title: `${i}` })
    expect([counts.has({ title: '0' }), counts.has({ title: '1' })]).to.deep.equal([false, true])
  })
})
