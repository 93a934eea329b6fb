import { openMongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { indexFor, sortKey, wantedIndexes } from '@snippets/adapters-mongo/snippets/page-indexes.js'
import { expect } from 'chai'
import type { Db, Document } from 'mongodb'
import { describeMongo, freshDatabase, openPrepared, type TestDatabase } from '../support/mongo/database.js'
import { describeShape, everyShape, sortedBy } from '../support/queries.js'
import { draft, must } from '../support/snippets.js'

describe('The wanted MongoDB indexes', () => {
  it('have the filtered fields, then the sort keys with their directions, then the id', () => {
    const { name, key } = indexFor(['language'], sortedBy('-title', 'created_at'))
    expect(Object.entries(key)).to.deep.equal([
      ['language', 1],
      ['title', -1],
      ['created_at', 1],
      ['_id', 1],
    ])
    expect(name).to.equal('page(language: 1, title: -1, created_at: 1, _id: 1)')
  })

  it('are 25, each with a name of its own', () => {
    expect(wantedIndexes).to.have.length(25)
    expect(new Set(wantedIndexes.map(({ name }) => name)).size).to.equal(25)
  })

  it('serve every way to filter and sort', () => {
    const names = new Set(wantedIndexes.map(({ name }) => name))
    const missing = everyShape
      .filter(({ filtered, ordering }) => filtered.length + ordering.length > 0)
      .filter(({ filtered, ordering }) => !names.has(indexFor(filtered, ordering).name))
    expect(missing).to.deep.equal([])
  })
})

describeMongo('The indexes in MongoDB', engine => {
  let database: TestDatabase

  beforeEach(() => {
    database = freshDatabase(engine)
  })

  afterEach(() => database.drop())

  it('serve every filter, and every ordering without a sort where the engine can', async () => {
    const storage = await openPrepared(database.url)
    for (let i = 0; i < 30; i++)
      must(await storage.snippets.create(draft({ title: `t${i % 7}`, language: `l${i % 3}`, created_at: i % 5 }))())
    await storage.close()
    const { documentdb: sortsInMemory = false } = await database.db.admin().command({ buildInfo: 1 })

    for (const shape of everyShape) {
      const filter = {
        ...(shape.filtered.includes('language') && { language: 'l1' }),
        ...(shape.filtered.includes('title') && { title: 't1' }),
      }
      const { queryPlanner } = await database.db
        .collection('snippets')
        .find(filter, { sort: { ...sortKey(shape.ordering) } })
        .explain()
      const stages = stagesOf(queryPlanner.winningPlan)
      if (!sortsInMemory) expect(stages, describeShape(shape)).to.not.include('SORT')
      if (!sortsInMemory || shape.filtered.length > 0) expect(stages, describeShape(shape)).to.include('IXSCAN')
    }
  })

  it('are created and logged at the first start, and left alone at the next', async () => {
    const [created, ...others] = await startOn(database.url)
    expect(others).to.deep.equal([])
    expect(created?.message).to.equal('created indexes')
    expect(created?.fields).to.deep.equal({ indexes: wantedIndexes.map(({ name }) => name) })
    expect(await indexNames(database.db)).to.have.members([
      '_id_',
      'retry_key',
      ...wantedIndexes.map(({ name }) => name),
    ])

    expect(await startOn(database.url)).to.deep.equal([])
  })

  it('are completed when one is missing', async () => {
    await startOn(database.url)
    const [one] = wantedIndexes
    await database.db.collection('snippets').dropIndex(one?.name ?? '')
    expect(await startOn(database.url)).to.deep.equal([
      { message: 'created indexes', fields: { indexes: [one?.name] } },
    ])
  })

  it('of an older shape are dropped and logged, while those that others made stay', async () => {
    const collection = database.db.collection('snippets')
    await collection.createIndex({ code: 1, _id: 1 }, { name: 'page(code: 1, _id: 1)' })
    await collection.createIndex({ code: 1 }, { name: 'theirs' })
    const logged = await startOn(database.url)
    expect(logged.at(-1)).to.deep.equal({
      message: 'dropped an index of an older shape',
      fields: { index: 'page(code: 1, _id: 1)' },
    })
    expect(await indexNames(database.db)).to.have.members([
      '_id_',
      'retry_key',
      'theirs',
      ...wantedIndexes.map(({ name }) => name),
    ])
  })

  it('are not created again where somebody created the same under another name', async () => {
    await database.db.collection('snippets').createIndex({ language: 1, _id: 1 })
    await startOn(database.url)
    const names = await indexNames(database.db)
    expect(names).to.include('language_1__id_1').and.not.include('page(language: 1, _id: 1)')
    expect(names).to.have.length(wantedIndexes.length + 1)
  })

  it('are created once by several processes that start at once', async () => {
    await Promise.all(Array.from({ length: 4 }, () => startOn(database.url)))
    expect(await indexNames(database.db)).to.have.members([
      '_id_',
      'retry_key',
      ...wantedIndexes.map(({ name }) => name),
    ])
  })
})

type Logged = Readonly<{ message: string; fields: Record<string, unknown> }>

/** Prepares the database once more, and returns what was logged. */
const startOn = async (url: string): Promise<readonly Logged[]> => {
  const logged: Logged[] = []
  const write = (fields: object, message: string) => logged.push({ message, fields: { ...fields } })
  const storage = openMongoStorage({ url, users: [], log: { info: write, warn: write } })
  await storage.prepared
  await storage.close()
  return logged
}

const indexNames = async (db: Db): Promise<readonly string[]> =>
  (await db.collection('snippets').listIndexes().toArray()).map(({ name }) => String(name))

const stagesOf = ({ stage, inputStage, inputStages = [], queryPlan }: Document): readonly string[] => [
  String(stage),
  ...[inputStage, queryPlan, ...inputStages].filter(Boolean).flatMap(stagesOf),
]
