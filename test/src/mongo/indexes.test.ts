import { setTimeout as pause } from 'node:timers/promises'
import { openMongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { indexFor, sortKey, textOf, wantedIndexes } from '@snippets/adapters-mongo/snippets/page-indexes.js'
import { windowOf } from '@snippets/domain/page.js'
import { expect } from 'chai'
import type { Db, Document } from 'mongodb'
import { describeMongo, freshDatabase, openPrepared, silent, type TestDatabase } from '../support/mongo/database.js'
import { proxyTo } from '../support/mongo/tcp-proxy.js'
import { describeShape, everyShape, sortedBy } from '../support/queries.js'
import { draft, must } from '../support/snippets.js'

describe('The wanted MongoDB indexes', () => {
  it('have the filtered fields, then the sort keys, then the id, which ascends', () => {
    const { name, key } = indexFor(['language'], sortedBy('-title', 'created_at'))
    expect(Object.entries(key)).to.deep.equal([
      ['language', 1],
      ['title', -1],
      ['created_at', 1],
      ['_id', 1],
    ])
    expect(name).to.equal('page(language: 1, title: -1, created_at: 1, _id: 1)')
  })

  it('serve an order and its reverse, id included', () => {
    expect(sortKey(sortedBy('title', '-created_at'))).to.deep.equal({ title: 1, created_at: -1, _id: -1 })
    expect(indexFor(['language'], sortedBy('title', '-created_at'))).to.deep.equal(
      indexFor(['language'], sortedBy('-title', 'created_at')),
    )
    expect(indexFor([], sortedBy('-created_at')).name).to.equal('page(created_at: 1, _id: 1)')
  })

  it('are 13, each with a name of its own', () => {
    expect(wantedIndexes).to.have.length(13)
    expect(new Set(wantedIndexes.map(({ name }) => name)).size).to.equal(13)
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

  const names = wantedIndexes.map(({ name }) => name)
  const rows = () => database.db.collection('snippets')
  const insertOne = () =>
    rows().insertOne({ title: 'a', code: 'b', language: 'c', created_at: new Date(5), version: 1 })

  it('are created and logged at the first start, and left alone at the next', async () => {
    expect(await startOn(database.url)).to.deep.equal([{ message: 'created indexes', fields: { indexes: names } }])
    expect(await indexNames(database.db)).to.have.members(['_id_', ...names])
    expect(await startOn(database.url)).to.deep.equal([])
  })

  it('are built one by one where there are rows, and each is logged with how many are left', async () => {
    await insertOne()
    const proxy = await proxyTo(database.url)
    const [first, ...logged] = await startOn(proxy.url)
    expect(first).to.deep.equal({ message: 'pages are slow until these indexes are built', fields: { indexes: names } })
    expect(logged.at(-1)).to.deep.equal({ message: 'created indexes', fields: { indexes: names } })
    const steps = logged.slice(0, -1).map(({ message, fields: { index, left } }) => `${message} ${index}, ${left} left`)
    expect(steps).to.deep.equal(
      names.flatMap((name, i) => [
        `building an index ${name}, ${13 - i} left`,
        `built an index ${name}, ${12 - i} left`,
      ]),
    )
    // two of them for keys
    expect(proxy.commands().filter(name => name === 'createIndexes')).to.have.length(13 + 2)
    await proxy.close()
  })

  it('may take longer than the socket timeout of other commands, while the service serves', async () => {
    await insertOne()
    const proxy = await proxyTo(`${database.url}${database.url.includes('?') ? '&' : '?'}socketTimeoutMS=300`)
    const storage = openMongoStorage({ url: proxy.url, users: [], log: silent })
    await storage.prepared
    while (!proxy.commands().includes('createIndexes')) await proxy.nextCommand()
    await proxy.start('black hole')
    expect(storage.missingIndexes()).to.equal(13)
    await pause(600)
    await proxy.restore()
    await storage.indexed
    expect(storage.missingIndexes()).to.equal(0)
    // none of them twice
    // two of them for keys
    expect(proxy.commands().filter(name => name === 'createIndexes')).to.have.length(13 + 2)
    await storage.close()
    await proxy.close()
  })

  it('are completed when one is missing', async () => {
    await startOn(database.url)
    const [one = ''] = names
    await rows().dropIndex(one)
    expect(await startOn(database.url)).to.deep.equal([{ message: 'created indexes', fields: { indexes: [one] } }])
  })

  it('of an older version are dropped and logged once the new ones stand, while those that others made stay', async () => {
    const older = [{ created_at: -1, _id: 1 }, { language: 1, title: -1, _id: 1 }, { code: 1 }] as const
    for (const key of older) await rows().createIndex(key, { name: `page(${textOf(key)})` })
    await rows().createIndex({ code: 1, title: 1 }, { name: 'theirs' })
    await rows().createIndex({ code: 1, language: 1 }, { name: 'page(by hand)' })
    const logged = await startOn(database.url)
    expect(logged.map(({ message }) => message)).to.deep.equal([
      'created indexes',
      ...older.map(() => 'dropped an index of an older version'),
    ])
    expect(logged.slice(1).map(({ fields }) => fields.index)).to.have.members(older.map(key => `page(${textOf(key)})`))
    expect(await indexNames(database.db)).to.have.members(['_id_', 'theirs', 'page(by hand)', ...names])
  })

  it('are not created again where somebody created the same under another name', async () => {
    await rows().createIndex({ language: 1, _id: 1 })
    await startOn(database.url)
    const found = await indexNames(database.db)
    expect(found).to.include('language_1__id_1').and.not.include('page(language: 1, _id: 1)')
    expect(found).to.have.length(wantedIndexes.length + 1)
  })

  it('replace one that somebody made with their name and other options', async () => {
    const [name = ''] = names
    const key = { ...wantedIndexes[0]?.key }
    await rows().createIndex(key, { name, partialFilterExpression: { title: 'a' } })
    const logged = await startOn(database.url)
    expect(logged.map(({ message }) => message)).to.deep.equal([
      'dropped an index that had the name of another definition',
      'created indexes',
    ])
    const found = await rows().listIndexes().toArray()
    expect(found.find(index => index.name === name)).to.not.have.property('partialFilterExpression')
  })

  it('are created once by several processes that start at once', async () => {
    await Promise.all(Array.from({ length: 4 }, () => startOn(database.url)))
    expect(await indexNames(database.db)).to.have.members(['_id_', ...names])
  })

  it('are named in the hint of every page and count, until one is gone', async () => {
    const warned: unknown[] = []
    const storage = await openPrepared(database.url, { log: { info: () => {}, warn: fields => warned.push(fields) } })
    for (let i = 0; i < 12; i++) must(await storage.snippets.create(draft({ language: 'go', title: `t${i % 2}` }))())
    await rows().dropIndex('page(language: 1, title: 1, _id: 1)')
    const query = { filter: { language: 'go' }, ordering: sortedBy('-title'), window: windowOf(1, 10) }
    const before = must(await storage.snippets.page(query)())
    expect(before.items.map(({ title }) => title)).to.deep.equal([...Array(6).fill('t1'), ...Array(4).fill('t0')])
    expect(before.count).to.equal(12)
    expect(warned).to.deep.equal([{ index: 'page(language: 1, title: 1, _id: 1)' }])
    expect(storage.missingIndexes()).to.equal(1)
    await rows().dropIndex('page(language: 1, _id: 1)')
    await storage.snippets.page({ ...query, ordering: sortedBy('created_at') })()
    expect(warned.slice(1)).to.deep.equal([{ index: 'page(language: 1, _id: 1)' }])
    for (const shape of everyShape) must(await storage.snippets.page({ ...query, ordering: shape.ordering })())
    expect(warned).to.have.length(2)
    await storage.close()
  })
})

type Logged = Readonly<{ message: string; fields: Record<string, unknown> }>

/** Prepares the database once more, and returns what was logged. */
const startOn = async (url: string): Promise<readonly Logged[]> => {
  const logged: Logged[] = []
  const write = (fields: object, message: string) => logged.push({ message, fields: { ...fields } })
  const storage = openMongoStorage({ url, users: [], log: { info: write, warn: write } })
  await storage.indexed
  await storage.close()
  return logged
}

/** Without that of the keys, which is not for pages. */
const indexNames = async (db: Db): Promise<readonly string[]> =>
  (await db.collection('snippets').listIndexes().toArray())
    .map(({ name }) => String(name))
    .filter(name => name !== 'retry_key')

const stagesOf = ({ stage, inputStage, inputStages = [], queryPlan }: Document): readonly string[] => [
  String(stage),
  ...[inputStage, queryPlan, ...inputStages].filter(Boolean).flatMap(stagesOf),
]
