import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import { ensureIndex } from '@snippets/adapters-mongo/collections/ensure-index.js'
import { openMongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { pageIndex } from '@snippets/adapters-mongo/snippets/page-indexes.js'
import type { SnippetDocument } from '@snippets/adapters-mongo/snippets/snippet-document.js'
import { readSnippets } from '@snippets/adapters-mongo/snippets/snippet-pages.js'
import { type SnippetQuery, windowOf } from '@snippets/domain/queries/page.js'
import { indexedPlans, planOf } from '@snippets/domain/queries/plan.js'
import { expect } from 'chai'
import { type Document, MongoClient, MongoServerError } from 'mongodb'
import type { NetworkFault } from '../support/faults/tcp-proxy.js'
import { describeMongo, documentOf, mongoForEach, readingOf, testRuntime } from '../support/mongo/database.js'
import { aSearch, describeShape, everyShape } from '../support/queries.js'
import { recordingLog } from '../support/service/logs.js'
import { anId, must } from '../support/snippets.js'

const complete = 'finished building the page indexes; a warning names each index that the database rejected'
const names = indexedPlans.map(plan => pageIndex(plan).name)

const isIndexed = (query: SnippetQuery): boolean => {
  const { plan } = planOf(query)
  return plan.length === 0 || names.includes(pageIndex(plan).name)
}

describe('An index that MongoDB rejects', () => {
  it('is logged without the duplicate value', async () => {
    const { log, lines } = recordingLog()
    const rejection = new MongoServerError({ message: "E11000 dup key: 'private'", code: 11_000 })
    await ensureIndex({ createIndexes: () => Promise.reject(rejection) }, { name: 'title', key: { title: 1 } }, log, '')
    expect(lines).to.have.length(1)
    expect(inspect(lines, { depth: 9 })).to.not.include('private')
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

  it('serve every filter and ordering without a sort, for numbered pages, searches and cursors', async () => {
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
      const numbered = { filter, ordering: shape.ordering, window: windowOf(1, 10) }
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

  it('that the database rejects are logged, and the others are built', async () => {
    const [rejectedName = ''] = names
    await db().collection('snippets').createIndex({ code: 1 }, { name: rejectedName })
    expect(await startLogged()).to.deep.equal(['the database rejects an index; pages that need it stay slow', complete])
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
    // each page index once, and the TTL index of idempotency keys
    expect(await startThrough('black hole', 1700)).to.have.length(names.length + 1)
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
