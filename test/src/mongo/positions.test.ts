import type { MongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import type { SnippetDocument } from '@snippets/adapters-mongo/snippets/snippet-document.js'
import { readSnippets } from '@snippets/adapters-mongo/snippets/snippet-pages.js'
import { windowOf } from '@snippets/domain/page.js'
import { expect } from 'chai'
import { type Collection, type Document, MongoClient } from 'mongodb'
import { describeMongo, freshDatabase, openPrepared, type TestDatabase } from '../support/mongo/database.js'
import { describeShape, everyShape } from '../support/queries.js'
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
      for (const side of ['after', 'before'] as const) {
        finds.length = 0
        const query = { filter, ordering: shape.ordering, window: windowOf(7, size), seek: { side, position } }
        const { items } = must(await readSnippets(snippets, query))
        expect(items).to.have.length.within(4, size)
        expect(finds).to.have.length(1)
        const { filter: sent, sort, limit, skip } = finds[0] ?? {}
        expect({ limit, skip }).to.deep.equal({ limit: size + 1, skip: undefined })
        const { queryPlanner } = await snippets.find(sent, { sort, limit }).explain()
        const stages = [...JSON.stringify(queryPlanner.winningPlan).matchAll(/"stage":"(\w+)"/g)].map(
          ([, stage]) => stage,
        )
        expect(stages).to.include('IXSCAN')
        if (!sortsInMemory) expect(stages).to.not.include('SORT')
      }
    })
})
