import { setTimeout as pause } from 'node:timers/promises'
import { openMongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { indexOf } from '@snippets/adapters-mongo/snippets/page-indexes.js'
import type { SnippetDocument } from '@snippets/adapters-mongo/snippets/snippet-document.js'
import { holding, sortBy } from '@snippets/adapters-mongo/snippets/snippet-pages.js'
import { idDirectionOf } from '@snippets/domain/ordering.js'
import { indexedPlans } from '@snippets/domain/plan.js'
import { expect } from 'chai'
import type { Db, Document } from 'mongodb'
import { describeMongo, freshDatabase, openPrepared, silent, type TestDatabase } from '../support/mongo/database.js'
import { proxyTo } from '../support/mongo/tcp-proxy.js'
import { describeShape, everyShape } from '../support/queries.js'
import { aSearch } from '../support/searches.js'
import { draft, must } from '../support/snippets.js'

const names = indexedPlans.map(plan => indexOf(plan).name)

describe('The index of a plan', () => {
  it('has the fields of the plan, then the id, which ascends', () => {
    const { name, key } = indexOf([
      { field: 'language', direction: 'asc' },
      { field: 'title', direction: 'desc' },
    ])
    expect(Object.entries(key)).to.deep.equal([
      ['language', 1],
      ['title', -1],
      ['_id', 1],
    ])
    expect(name).to.equal('page(language,-title)')
  })
})

describeMongo('The indexes in MongoDB', engine => {
  let database: TestDatabase

  beforeEach(() => {
    database = freshDatabase(engine)
  })

  afterEach(() => database.drop())

  it('serve every filter, with a search or without, and every ordering without a sort where the engine can', async () => {
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
      for (const searched of [filter, { ...filter, ...holding(aSearch('a "t1"')) }]) {
        const { queryPlanner } = await database.db
          .collection<SnippetDocument>('snippets')
          .find(searched, { sort: sortBy(shape.ordering, idDirectionOf(shape.ordering)) })
          .explain()
        const stages = stagesOf(queryPlanner.winningPlan)
        if (!sortsInMemory) expect(stages, describeShape(shape)).to.not.include('SORT')
        if (!sortsInMemory || shape.filtered.length > 0) expect(stages, describeShape(shape)).to.include('IXSCAN')
      }
    }
  })

  it('are made at the first start, and left alone at the next; a line of the log says that they are there', async () => {
    for (let start = 1; start <= 2; start++) {
      expect(await startOn(database.url)).to.deep.equal(['the indexes of pages are there'])
      expect(await indexNames(database.db)).to.have.members(['_id_', ...names])
    }
  })

  it('are made once by several processes that start at once', async () => {
    await Promise.all(Array.from({ length: 4 }, () => startOn(database.url)))
    expect(await indexNames(database.db)).to.have.members(['_id_', ...names])
  })

  it('that the database refuses are logged, each with a line, and the others are made', async () => {
    const [refused = ''] = names
    await database.db.collection('snippets').createIndex({ code: 1 }, { name: refused })
    expect(await startOn(database.url)).to.deep.equal([
      'the database refuses an index; its pages stay slow',
      'the indexes of pages are there',
    ])
    expect(await indexNames(database.db)).to.have.members(['_id_', ...names])
  })

  it('may take longer than other commands, while the service serves', async () => {
    const proxy = await proxyTo(`${database.url}${database.url.includes('?') ? '&' : '?'}connectTimeoutMS=9000`)
    const storage = openMongoStorage({ url: proxy.url, users: [], log: silent })
    await storage.prepared
    while (!proxy.underWay().includes('createIndexes')) await proxy.nextCommand()
    await proxy.start('black hole')
    await pause(1700)
    await proxy.restore()
    await storage.indexed
    expect(await indexNames(database.db)).to.have.members(['_id_', ...names])
    // none of them twice; two of them for keys
    expect(proxy.commands().filter(name => name === 'createIndexes')).to.have.length(names.length + 2)
    await storage.close()
    await proxy.close()
  })

  it('are made once the database is back, when it goes away before', async () => {
    const proxy = await proxyTo(database.url)
    const storage = openMongoStorage({ url: proxy.url, users: [], log: silent })
    await storage.prepared
    while (!proxy.underWay().includes('createIndexes')) await proxy.nextCommand()
    await proxy.start('cut')
    await pause(300)
    await proxy.restore()
    await storage.indexed
    expect(await indexNames(database.db)).to.have.members(['_id_', ...names])
    await storage.close()
    await proxy.close()
  })
})

/** Prepares the database once more, and returns what was logged. */
const startOn = async (url: string): Promise<readonly string[]> => {
  const logged: string[] = []
  const write = (_: object, message: string) => void logged.push(message)
  const storage = await openPrepared(url, { log: { info: write, warn: write } })
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
