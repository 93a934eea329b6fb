import { readBeside, readPage } from '@snippets/adapters-mongo/documents/read-page.js'
import type { MongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import type { SnippetDocument } from '@snippets/adapters-mongo/snippets/snippet-document.js'
import { readSnippets } from '@snippets/adapters-mongo/snippets/snippet-pages.js'
import { searchTooBroad } from '@snippets/domain/errors.js'
import { type Filter, windowOf } from '@snippets/domain/page.js'
import { anyRevision } from '@snippets/domain/revision.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { type Collection, type Document, type FindOptions, MongoServerError } from 'mongodb'
import { describeMongo, freshDatabase, openPrepared, type TestDatabase } from '../support/mongo/database.js'
import { proxyTo } from '../support/mongo/tcp-proxy.js'
import { byId } from '../support/queries.js'
import { aSearch } from '../support/searches.js'
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

describe('A page', () => {
  type Counting = () => Promise<number>

  /** A collection of so many rows, which counts like this. */
  const holding = (stored: number, count: Counting) =>
    ({
      find: (_: object, { skip = 0, limit = 0 }: FindOptions) => ({
        toArray: async () => Array.from({ length: stored }, (_, i) => ({ _id: i })).slice(skip, skip + limit),
      }),
      countDocuments: count,
      estimatedDocumentCount: async () => 0,
    }) as unknown as Collection
  const request = (stored: number, page: number, count: Counting) => ({
    collection: holding(stored, count),
    filter: { language: 'go' },
    sort: { _id: 1 } as const,
    window: windowOf(page, 10),
    decode: (row: Document) => right(row),
  })

  /** Reads a page of ten where the database has this many rows, and counts like this. */
  const readWhere = async (stored: number, page: number, count: Counting) => {
    const { items, ...counted } = must(await readPage(request(stored, page, count)))
    return { ...counted, items: items.length }
  }

  /** The same from a position in the list on. */
  const readFrom = async (stored: number, count: Counting) => {
    const beside = { side: 'after', nearest: {} } as const
    const { items, ...counted } = must(await readBeside({ ...request(stored, 1, count), ...beside }))
    return { ...counted, items: items.length }
  }
  const tooLong = async (): Promise<number> => {
    throw new MongoServerError({ code: 50, codeName: 'MaxTimeMSExpired' })
  }

  it('whose count takes too long counts what was seen, and says that there may be more', async () => {
    expect(await readWhere(100, 3, tooLong)).to.deep.equal({ count: 31, countIsLowerBound: true, items: 10 })
    expect(await readWhere(100, 12, tooLong)).to.deep.equal({ count: 0, countIsLowerBound: true, items: 0 })
    expect(await readWhere(100, 10, tooLong)).to.deep.equal({ count: 100, items: 10 })
    const beside = { count: 11, countIsLowerBound: true, hasMore: true, items: 10 }
    expect(await readFrom(100, tooLong)).to.deep.equal(beside)
  })

  it('whose count fails otherwise fails', async () => {
    const gone = async (): Promise<number> => {
      throw new Error('gone')
    }
    for (const reading of [readWhere(100, 1, gone), readFrom(100, gone)])
      expect(await reading.catch((error: unknown) => error)).to.have.property('message', 'gone')
  })

  it('that was counted at another moment agrees with what was read', async () => {
    expect(await readWhere(100, 1, async () => 4)).to.deep.equal({ count: 11, items: 10 })
    expect(await readWhere(3, 4, async () => 99)).to.deep.equal({ count: 30, items: 0 })
    expect(await readFrom(10, async () => 3)).to.deep.equal({ count: 10, hasMore: false, items: 10 })
  })

  describe('that takes too long to read', () => {
    const query = { filter: {}, ordering: byId, window: windowOf(1, 10) }
    const search = aSearch('e')
    const seek = { side: 'after', position: { id: anId(1n) } } as const
    const failingWith = (code: number) => {
      const fail = async () => {
        throw new MongoServerError({ code })
      }
      const collection = { find: () => ({ toArray: fail }), countDocuments: async () => 1 }
      return collection as unknown as Collection<SnippetDocument>
    }
    const outOfTime = 50

    it('is too broad a search, where it is one', async () => {
      for (const searched of [
        { ...query, search },
        { ...query, search, seek },
      ])
        expect(await readSnippets(failingWith(outOfTime), searched)).to.deep.equal(left(searchTooBroad))
    })

    it('fails without a search, and so does a search that fails otherwise', async () => {
      const readings = [
        readSnippets(failingWith(outOfTime), query),
        readSnippets(failingWith(outOfTime), { ...query, seek }),
        readSnippets(failingWith(11_600), { ...query, search }),
      ]
      for (const reading of readings)
        expect(await reading.catch((error: unknown) => error)).to.be.instanceOf(MongoServerError)
    })
  })

  it('of a large collection without a filter is counted from its metadata', async () => {
    const counted: number[] = []
    const collection = {
      ...holding(20_000, async () => counted.push(0)),
      estimatedDocumentCount: async () => 20_000,
    } as unknown as Collection
    const page = await readPage({ ...request(0, 1, tooLong), collection, filter: {} })
    expect(must(page).count).to.equal(20_000)
    expect(counted).to.deep.equal([])
  })
})
