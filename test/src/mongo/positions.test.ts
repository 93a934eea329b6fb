import { SharedCounts } from '@snippets/adapters-mongo/documents/shared-counts.js'
import type { MongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { listIndexes } from '@snippets/adapters-mongo/snippets/listed-indexes.js'
import { type Index, indexFor } from '@snippets/adapters-mongo/snippets/page-indexes.js'
import type { SnippetDocument } from '@snippets/adapters-mongo/snippets/snippet-document.js'
import { readSnippets } from '@snippets/adapters-mongo/snippets/snippet-pages.js'
import { standingIndexes } from '@snippets/adapters-mongo/snippets/standing-indexes.js'
import { type Count, effectiveOrders, type Filter, windowOf } from '@snippets/domain/page.js'
import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import { type Collection, type Document, MongoClient, MongoServerError } from 'mongodb'
import { describeMongo, freshDatabase, openPrepared, silent, type TestDatabase } from '../support/mongo/database.js'
import { describeShape, everyShape, firstPage } from '../support/queries.js'
import { anId, must } from '../support/snippets.js'

const size = 10
const row = (i: number) => ({
  _id: BigInt(i + 1),
  title: `title ${String(i % 100).padStart(2, '0')}`,
  code: 'code',
  language: i % 2 ? 'odd' : 'even',
  created_at: new Date(1_750_000_000_000 + Math.floor(i / 4)),
  version: 1,
})
/** The index that every collection has is not named after its key. */
const indexName = ({ name }: Index): string => (name === 'page(_id: 1)' ? '_id_' : name)

const position = { id: anId(502n), created_at: 1_750_000_000_125, title: 'title 01' }

describeMongo('Pages beside a position in MongoDB', engine => {
  let database: TestDatabase
  let storage: MongoStorage
  let watched: MongoClient
  let snippets: Collection<SnippetDocument>
  let sortsInMemory: boolean
  const finds: Document[] = []

  before(async () => {
    database = freshDatabase(engine)
    storage = await openPrepared(database.url)
    watched = new MongoClient(database.url, { monitorCommands: true, useBigInt64: true })
    watched.on('commandStarted', ({ command }) => {
      if (command.find === 'snippets') finds.push(command)
    })
    await watched
      .db()
      .collection<Readonly<{ _id: bigint }>>('snippets')
      .insertMany(Array.from({ length: 1000 }, (_, i) => row(i)))
    snippets = watched.db().collection('snippets')
    sortsInMemory = (await watched.db().admin().command({ buildInfo: 1 })).documentdb === true
  })

  after(async () => {
    await watched.close()
    await storage.close()
    await database.drop()
  })

  for (const shape of everyShape)
    it(`are sought in the index of ${describeShape(shape)}: nothing is skipped or sorted`, async () => {
      const filter = Object.fromEntries(
        shape.filtered.map(field => [field, field === 'language' ? 'odd' : 'title 01'] as const),
      )
      const standing = standingIndexes(silent)
      standing.found(await listIndexes(watched.db(), 'snippets'))
      const counts = new SharedCounts<Filter>(async () => ({ count: 0 }))
      for (const side of ['after', 'before'] as const) {
        finds.length = 0
        const query = { filter, ordering: shape.ordering, window: windowOf(7, size), seek: { side, position } }
        const { items } = must(await readSnippets(query, { snippets, counts, standing }))
        expect(items).to.have.length.within(4, size)
        expect(finds).to.have.length(1)
        const { filter: sent, sort, hint, limit, skip } = finds[0] ?? {}
        expect({ limit, skip, hint }).to.deep.equal({
          limit: size + 1,
          skip: undefined,
          hint: indexName(indexFor(shape.filtered, effectiveOrders(query))),
        })
        const { queryPlanner } = await snippets.find(sent, { sort, hint, limit }).explain()
        const stages = [...JSON.stringify(queryPlanner.winningPlan).matchAll(/"stage":"(\w+)"/g)].map(
          ([, stage]) => stage,
        )
        expect(stages).to.include('IXSCAN')
        if (!sortsInMemory) expect(stages).to.not.include('SORT')
      }
    })
})

describe('A page beside a position', () => {
  const readWhere = (find: () => Promise<readonly Document[]>, count: () => Promise<Count>) => {
    const snippets = { find: () => ({ toArray: find }) } as unknown as Collection<SnippetDocument>
    const query = { ...firstPage(), seek: { side: 'after', position } } as const
    return readSnippets(query, { snippets, counts: new SharedCounts(count), standing: standingIndexes(silent) })
  }
  const rows = (length: number) => async () => Array.from({ length }, (_, i) => row(i))
  const tooLong = async (): Promise<Count> => {
    throw new MongoServerError({ code: 50, codeName: 'MaxTimeMSExpired' })
  }
  const failing = async (): Promise<never> => {
    throw new Error('gone')
  }

  it('counts as many as it read and more when counting takes too long', async () => {
    for (const count of [tooLong, () => new Promise<Count>(() => {})]) {
      const page = must(await readWhere(rows(11), count))
      expect(page).to.include({ count: 11, countIsLowerBound: true, hasMore: true })
      expect(page.items).to.have.length(10)
    }
  })

  it('counts at least as many as it read, and is marked where the count is a lower bound', async () => {
    expect(must(await readWhere(rows(10), async () => ({ count: 3 })))).to.include({ count: 10, hasMore: false })
    const bound = await readWhere(rows(10), async () => ({ count: 10_000, countIsLowerBound: true }))
    expect(must(bound)).to.include({ count: 10_000, countIsLowerBound: true })
  })

  it('fails when reading or counting fails, and is Corrupt when a row is malformed', async () => {
    for (const reading of [readWhere(failing, failing), readWhere(rows(1), failing)])
      expect(await reading.catch(error => error)).to.have.property('message', 'gone')
    const corrupt = await readWhere(
      async () => [{ ...row(1), title: '' }],
      async () => ({ count: 1 }),
    )
    expect(isLeft(corrupt)).to.equal(true)
  })
})
