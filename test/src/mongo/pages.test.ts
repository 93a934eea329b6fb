import { readCursorPage, readNumberedPage } from '@snippets/adapters-mongo/collections/read-page.js'
import type { SnippetDocument } from '@snippets/adapters-mongo/snippets/snippet-document.js'
import { readSnippets } from '@snippets/adapters-mongo/snippets/snippet-pages.js'
import { searchTooBroad } from '@snippets/domain/ports/errors.js'
import { makeWindow } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { type Collection, type Document, type FindOptions, MongoServerError } from 'mongodb'
import { describeMongo, mongoForEach, readingOf } from '../support/mongo/database.js'
import { aSearch, byId } from '../support/queries.js'
import { anId, draft, must } from '../support/snippets.js'

describeMongo('Pages in MongoDB', engine => {
  const { proxy: newProxy, open } = mongoForEach(engine)

  it('count with a command only when their rows do not show the count', async () => {
    const proxy = await newProxy()
    const { snippets } = await open({ url: proxy.url })
    const create = (title: string, count: number) =>
      Promise.all(Array.from({ length: count }, () => snippets.create(draft({ title }))()))
    await create('full', 7)
    await create('one more', 8)
    const commandsOf = async (title: string, page: number) => {
      const before = proxy.commands().length
      const { count } = must(await snippets.page({ filter: { title }, ordering: byId, window: makeWindow(page, 7) })())
      return [count, ...proxy.commands().slice(before)].filter(command => command !== 'hello' && command !== 'ping')
    }
    expect(await commandsOf('none', 1)).to.deep.equal([0, 'find'])
    expect(await commandsOf('full', 1)).to.deep.equal([7, 'find'])
    expect(await commandsOf('one more', 2)).to.deep.equal([8, 'find'])
    expect(await commandsOf('one more', 1)).to.deep.equal([8, 'find', 'aggregate'])
    expect(await commandsOf('full', 2)).to.deep.equal([7, 'find', 'aggregate'])
  })
})

describe('A page', () => {
  type Counting = () => Promise<number>

  /** A collection with this number of rows, whose counts are given. */
  const holding = (stored: number, countDocuments: Counting, estimate = 0) =>
    ({
      find: (_: object, { skip = 0, limit = 0 }: FindOptions) => ({
        toArray: async () => Array.from({ length: stored }, (_, i) => ({ _id: i })).slice(skip, skip + limit),
      }),
      countDocuments,
      estimatedDocumentCount: async () => estimate,
    }) as unknown as Collection
  const request = (stored: number, page: number, count: Counting) => ({
    collection: holding(stored, count),
    filter: { language: 'go' },
    sort: { _id: 1 } as const,
    window: makeWindow(page, 10),
    decodeRows: (rows: readonly Document[]) => rows,
    runScan: <A>(count: () => Promise<A>) => count(),
  })

  /** Reads a page of ten from a collection with this number of rows and this count. */
  const readWhere = async (stored: number, page: number, count: Counting) => {
    const { items, ...counted } = await readNumberedPage(request(stored, page, count))
    return { ...counted, items: items.length }
  }

  /** Reads the first page of ten after a position. */
  const readFrom = async (stored: number, count: Counting) => {
    const beside = { side: 'after', sideFilter: {} } as const
    const { items, ...counted } = await readCursorPage({ ...request(stored, 1, count), ...beside })
    return { ...counted, items: items.length }
  }
  const failing = (error: Error) => async (): Promise<never> => {
    throw error
  }
  const tooLong = failing(new MongoServerError({ code: 50, codeName: 'MaxTimeMSExpired' }))

  it('whose count times out has a lower bound from the rows that were read', async () => {
    expect(await readWhere(100, 3, tooLong)).to.deep.equal({ count: 31, countIsLowerBound: true, items: 10 })
    expect(await readWhere(100, 12, tooLong)).to.deep.equal({ count: 0, countIsLowerBound: true, items: 0 })
    expect(await readWhere(100, 10, tooLong)).to.deep.equal({ count: 100, items: 10 })
    const beside = { count: 11, countIsLowerBound: true, hasMore: true, items: 10 }
    expect(await readFrom(100, tooLong)).to.deep.equal(beside)
  })

  it('fails when its count fails with another error', async () => {
    const gone = failing(new Error('gone'))
    for (const reading of [readWhere(100, 1, gone), readFrom(100, gone)])
      expect(await reading.catch((error: unknown) => error)).to.have.property('message', 'gone')
  })

  it('has a count that agrees with its rows, when both were read at different times', async () => {
    expect(await readWhere(100, 1, async () => 4)).to.deep.equal({ count: 11, items: 10 })
    expect(await readWhere(3, 4, async () => 99)).to.deep.equal({ count: 30, items: 0 })
    expect(await readFrom(10, async () => 3)).to.deep.equal({ count: 10, hasMore: false, items: 10 })
  })

  it('without a filter is counted from the metadata if the collection is large, and row by row if it is small', async () => {
    for (const [estimate, count] of [
      [10_000, 10_000],
      [9_999, 12],
    ] as const) {
      const collection = holding(100, async () => 12, estimate)
      expect((await readNumberedPage({ ...request(0, 1, tooLong), collection, filter: {} })).count).to.equal(count)
    }
  })

  describe('whose read fails', () => {
    const query = { filter: {}, ordering: byId, window: makeWindow(1, 10) }
    const filter = { search: aSearch('e') }
    const seek = { side: 'after', position: { id: anId(1n) } } as const
    const readFailing = (code: number, more: object) => {
      const find = () => ({ toArray: failing(new MongoServerError({ code })) })
      const collection = { find, countDocuments: async () => 1 } as unknown as Collection<SnippetDocument>
      return readSnippets(readingOf(collection), { ...query, ...more })
    }

    it('is SearchTooBroad when its search times out', async () => {
      for (const more of [{ filter }, { filter, seek }])
        expect(await readFailing(50, more)).to.deep.equal(left(searchTooBroad))
    })

    it('is Unavailable when it times out without a search', async () => {
      for (const more of [{}, { seek }])
        expect(await readFailing(50, more)).to.have.nested.property('left.outcome', 'unapplied')
    })

    it('fails when its search fails with another error', async () => {
      const failure = await readFailing(11_600, { filter }).catch((error: unknown) => error)
      expect(failure).to.be.instanceOf(MongoServerError)
    })
  })
})
