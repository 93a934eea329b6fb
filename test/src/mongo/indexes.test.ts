import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import { ensureIndexes } from '@snippets/adapters-mongo/collections/ensure-indexes.js'
import { openMongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import type { SnippetDocument } from '@snippets/adapters-mongo/snippets/snippet-document.js'
import { pageIndex, readSnippets } from '@snippets/adapters-mongo/snippets/snippet-pages.js'
import { makeWindow, type SnippetQuery } from '@snippets/domain/queries/page.js'
import { indexedPlans, planOf } from '@snippets/domain/queries/plan.js'
import { expect } from 'chai'
import {
  type Collection,
  type CreateIndexesOptions,
  type Document,
  Double,
  type IndexDescription,
  MongoClient,
  MongoServerError,
} from 'mongodb'
import type { NetworkFault } from '../support/faults/tcp-proxy.js'
import { describeMongo, documentOf, mongoForEach, readingOf, testRuntime } from '../support/mongo/database.js'
import { aSearch, describeShape, everyShape } from '../support/queries.js'
import { recordingLog, silentLog } from '../support/service/logs.js'
import { anId, must } from '../support/snippets.js'

const complete = 'all indexes exist'
const names = indexedPlans.map(plan => pageIndex(plan).name)

const isIndexed = (query: SnippetQuery): boolean => {
  const { plan } = planOf(query)
  return plan.length === 0 || names.includes(pageIndex(plan).name)
}

describe('Missing indexes', () => {
  const indexes = ['title', 'code', 'language'].map(field => ({ name: `by ${field}`, key: { [field]: 1 as const } }))

  /** A collection with these indexes, which rejects commands that create one with a code in `rejections`. */
  const collectionWith = (existing: readonly Document[], rejections: Readonly<Record<string, number>> = {}) => {
    const sent: (readonly (string | undefined)[])[] = []
    const quorums: unknown[] = []
    const createIndexes = async (wanted: readonly IndexDescription[], { commitQuorum }: CreateIndexesOptions = {}) => {
      sent.push(wanted.map(({ name }) => name))
      quorums.push(commitQuorum)
      const code = commitQuorum ? rejections.quorum : undefined
      const [rejected = code] = wanted.flatMap(({ name = '' }) => rejections[name] ?? [])
      if (rejected !== undefined) throw new MongoServerError({ message: "E11000 dup key: 'private'", code: rejected })
    }
    return { listIndexes: () => ({ toArray: async () => existing }), createIndexes, sent, quorums }
  }

  const ensure = async (collection: ReturnType<typeof collectionWith>) => {
    const { log, warnings } = recordingLog()
    const attempts = []
    for (let i = 0; i < 2; i++) attempts.push(await ensureIndexes(log, collection, indexes).then(() => 'done', String))
    return { attempts, warnings: warnings() }
  }

  it('are created with one command, which waits for a majority of the members only', async () => {
    const collection = collectionWith([])
    await ensureIndexes(silentLog, collection, indexes)
    expect(collection.sent).to.deep.equal([['by title', 'by code', 'by language']])
    expect(collection.quorums).to.deep.equal(['majority'])
  })

  it('are no indexes with the same keys and options, whatever their name and number type', async () => {
    const existing = [
      { v: 2, key: { title: new Double(1) }, name: 'mine' },
      { v: 2, key: { code: 1n }, name: 'by code' },
      { v: 2, key: { language: 1 }, name: 'by language', unique: true },
    ]
    const collection = collectionWith(existing)
    await ensureIndexes(silentLog, collection, indexes)
    expect(collection.sent).to.deep.equal([['by language']])
  })

  it('are created although the database rejects one of them, which is logged without a value', async () => {
    // CannotIndexParallelArrays, Unauthorized, an error of Atlas, UnsatisfiableCommitQuorum, DuplicateKey
    for (const code of [171, 13, 8000, 100, 11_000]) {
      const collection = collectionWith([], { 'by code': code })
      const { attempts, warnings } = await ensure(collection)
      for (const attempt of attempts) expect(attempt).to.match(/^MongoServerError/)
      expect(collection.sent.slice(0, 4)).to.deep.equal([
        ['by title', 'by code', 'by language'],
        ['by title'],
        ['by code'],
        ['by language'],
      ])
      expect(warnings.map(({ index }) => index)).to.deep.equal(['by code', 'by code'])
      expect(inspect(warnings, { depth: 9 })).to.not.include('private')
    }
  })

  it('are created by a standalone server, which has no commit quorum', async () => {
    const collection = collectionWith([], { quorum: 2 })
    await ensureIndexes(silentLog, collection, indexes)
    expect(collection.quorums).to.deep.equal(['majority', undefined])
  })
})

/** Tells whether an index returns the rows that equal some fields of the filter in this order, forwards or backwards. */
const isSortedBy = (index: object, filter: Document, sort: object): boolean => {
  const isEqual = ([field]: readonly [string, unknown]) =>
    field in filter && (typeof filter[field] !== 'object' || filter[field] instanceof Date)
  const keys = Object.entries(index)
  const rest = keys.slice(keys.findIndex(key => !isEqual(key)))
  const wanted = Object.entries(sort).filter(key => !isEqual(key))
  const signs = wanted.map(([field, sign], i) => (rest[i]?.[0] === field ? sign * rest[i][1] : 0))
  return new Set(signs).size === 1 && signs[0] !== 0
}

describe('Each indexed page', () => {
  it('has an index that returns its rows in their order, from each position', async () => {
    const finds: Readonly<{ filter: Document; sort: object }>[] = []
    const snippets = {
      find: (filter: Document, { sort = {} }: { sort?: object }) => {
        finds.push({ filter, sort })
        return { toArray: async () => [] }
      },
      countDocuments: async () => 0,
      estimatedDocumentCount: async () => 0,
    } as unknown as Collection<SnippetDocument>
    const position = { id: anId(502n), created_at: 1_750_000_000_125, title: 'title' }
    for (const { filtered, ordering } of everyShape) {
      const filter = Object.fromEntries(filtered.map(field => [field, 'a text'] as const))
      const numbered = { filter, ordering, window: makeWindow(1, 10) }
      if (!isIndexed(numbered)) continue
      for (const seek of [undefined, { side: 'after', position }, { side: 'before', position }] as const)
        must(await readSnippets(readingOf(snippets), { ...numbered, ...(seek && { seek }) }))
    }
    const indexes = [{ _id: 1 }, ...indexedPlans.map(plan => pageIndex(plan).key)]
    expect(finds).to.have.length.above(3 * indexedPlans.length - 1)
    for (const { filter, sort } of finds)
      for (const alternative of filter.$or ?? [filter]) {
        const serving = indexes.filter(index => isSortedBy(index, alternative, sort))
        expect(serving, inspect({ alternative, sort })).to.not.be.empty
      }
  })
})

describeMongo('The indexes in MongoDB', engine => {
  const { url, db, open, proxy: newProxy, closing } = mongoForEach(engine)

  /** Opens a storage, and returns what was logged. */
  const startLogged = async (): Promise<readonly string[]> => {
    const { log, lines } = recordingLog()
    await open({ log })
    return lines.map(({ msg }) => msg)
  }
  const indexNames = async (): Promise<readonly string[]> =>
    (await db().collection('snippets').listIndexes().toArray()).map(({ name }) => String(name))

  it('serve every filter and ordering without a sort, for numbered pages, searches and cursors', async function () {
    // hundreds of plans
    this.timeout(120_000)
    await open()
    const watched = closing(new MongoClient(url(), { monitorCommands: true, useBigInt64: true }))
    const snippets = watched.db().collection<SnippetDocument>('snippets')
    const finds: Document[] = []
    watched.on('commandStarted', ({ command }) => command.find === 'snippets' && finds.push(command))
    await snippets.insertMany(Array.from({ length: 1000 }, (_, i) => row(i)))
    const { documentdb: sortsInMemory = false } = await watched.db().admin().command({ buildInfo: 1 })
    const position = { id: anId(502n), created_at: 1_750_000_000_125, title: 'title 01' }

    for (const shape of everyShape) {
      const filter = Object.fromEntries(
        shape.filtered.map(field => [field, field === 'language' ? 'odd' : 'title 01'] as const),
      )
      const numbered = { filter, ordering: shape.ordering, window: makeWindow(1, 10) }
      const [after, before] = (['after', 'before'] as const).map(side => ({ ...numbered, seek: { side, position } }))
      for (const query of [
        numbered,
        { ...numbered, filter: { ...numbered.filter, search: aSearch('co "tle"') } },
        after,
        before,
      ]) {
        finds.length = 0
        const { items } = must(await readSnippets(readingOf(snippets), { ...numbered, ...query }))
        expect(items).to.have.length.within(4, 10)
        const [{ filter: sent, sort, limit, skip = 0 } = {}, ...others] = finds
        expect({ limit, skip, others }).to.deep.equal({ limit: 11, skip: 0, others: [] })
        const { queryPlanner } = await snippets.find(sent, { sort, limit }).explain()
        const stages = JSON.stringify(queryPlanner.winningPlan).match(/(?<="stage":")\w+/g)
        const isSortedByIndex = !sortsInMemory && isIndexed(numbered)
        if (isSortedByIndex) expect(stages, describeShape(shape)).to.not.include('SORT')
        const isNarrow = shape.filtered.length > 0 || query === after || query === before
        if (isSortedByIndex || isNarrow) expect(stages, describeShape(shape)).to.include('IXSCAN')
      }
    }
  })

  it('are built once by several processes that start at the same time, and logged as complete', async () => {
    await Promise.all([startLogged(), startLogged(), startLogged()])
    expect(await startLogged()).to.deep.equal([complete])
    expect(await indexNames()).to.have.members(['_id_', ...names])
  })

  const startThrough = async (fault: NetworkFault, faultMs: number): Promise<readonly string[]> => {
    const proxy = await newProxy()
    const slow = `${proxy.url}${proxy.url.includes('?') ? '&' : '?'}connectTimeoutMS=9000`
    const storage = closing(openMongoStorage({ url: slow, users: [], ...testRuntime }))
    await storage.prepared
    await proxy.start(fault, 'createIndexes')
    await pause(faultMs)
    await proxy.restore()
    await storage.indexed
    expect(await indexNames()).to.have.members(['_id_', ...names])
    return proxy.commands().filter(name => name === 'createIndexes')
  }

  it('are built once even if the build outlasts the timeouts of other commands', async () => {
    // all page indexes at once, and the TTL index of idempotency keys
    expect(await startThrough('black hole', 1700)).to.have.length(2)
  })

  it('are built after an outage of the database', async () => {
    await startThrough('cut', 300)
  })
})

const row = (i: number) =>
  documentOf(i + 1, {
    title: `title ${String(i % 100).padStart(2, '0')}`,
    code: 'code',
    language: i % 2 ? 'odd' : 'even',
    created_at: 1_750_000_000_000 + Math.floor(i / 4),
  })
