import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import { isAnsweredError } from '@snippets/adapters-mongo/connection/server-errors.js'
import { ensureIndexes, openMongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import type { SnippetDocument } from '@snippets/adapters-mongo/snippets/snippet-document.js'
import { makePageIndex, selectionOf } from '@snippets/adapters-mongo/snippets/snippet-pages.js'
import { makeWindow, type SnippetQuery } from '@snippets/domain/queries/page.js'
import { indexedPlans, planOf } from '@snippets/domain/queries/plan.js'
import { expect } from 'chai'
import { type CreateIndexesOptions, type Document, MongoServerError } from 'mongodb'
import { eventually } from '../support/eventually.js'
import { describeMongo, documentOf, freshDatabase, mongoForEach } from '../support/mongo/database.js'
import { everyShape } from '../support/queries.js'
import { recordingLog, silentLog } from '../support/service/logs.js'
import { anId, draft, must } from '../support/snippets.js'

const complete = 'all indexes exist'
const names = indexedPlans.map(plan => makePageIndex(plan).name)

const isIndexed = (query: SnippetQuery): boolean => {
  const { plan } = planOf(query)
  return plan.length === 0 || names.includes(makePageIndex(plan).name)
}

describe('Indexes', () => {
  it('are tried again soon if the database has no primary or stops, and later if it rejects them', () => {
    const isRejected = (code: number) => isAnsweredError(new MongoServerError({ message: '', code }))
    // CannotIndexParallelArrays, Unauthorized, an error of Atlas, UnsatisfiableCommitQuorum, DuplicateKey
    expect([171, 13, 8000, 100, 11_000].filter(isRejected)).to.have.length(5)
    expect([91, 133, 189, 10_107, 11_600, 11_602, 13_435, 13_436].filter(isRejected)).to.deep.equal([])
  })

  it('wait for a majority of the members only, unless a standalone server has no commit quorum', async () => {
    const quorums: unknown[] = []
    const createIndexes = async (_: unknown, { commitQuorum }: CreateIndexesOptions = {}) => {
      quorums.push(commitQuorum)
      if (commitQuorum) throw new MongoServerError({ message: 'no replica set', code: 2 })
      return []
    }
    await ensureIndexes({ createIndexes }, [])
    expect(quorums).to.deep.equal(['majority', undefined])
  })
})

/** Tells whether an index returns the rows with these values of the filter in this order, forwards or backwards. */
const isSortedBy = (index: object, filter: Document, sort: object): boolean => {
  const isEqual = ([field]: readonly [string, unknown]) =>
    field in filter && (typeof filter[field] !== 'object' || filter[field] instanceof Date)
  const keys = Object.entries(index)
  const rest = keys.slice(keys.findIndex(key => !isEqual(key)))
  const wanted = Object.entries(sort).filter(key => !isEqual(key))
  const signs = wanted.map(([field, sign], i) => (rest[i]?.[0] === field ? sign * rest[i][1] : 0))
  return new Set(signs).size === 1 && signs[0] !== 0
}

const position = { id: anId(502n), created_at: 1_750_000_000_125, title: 'title 01' }

/** Every numbered page and every page beside a position, with filter values that many of the rows have. */
const pages: readonly SnippetQuery[] = everyShape.flatMap(({ filtered, ordering }) => {
  const filter = Object.fromEntries(filtered.map(field => [field, field === 'language' ? 'odd' : 'title 01']))
  const numbered = { filter, ordering, window: makeWindow(1, 10) }
  return [numbered, ...(['after', 'before'] as const).map(side => ({ ...numbered, seek: { side, position } }))]
})

describe('Each indexed page', () => {
  it('has an index that returns its rows in their order, from each position', () => {
    const indexes = [{ _id: 1 }, ...indexedPlans.map(plan => makePageIndex(plan).key)]
    const indexed = pages.filter(isIndexed)
    expect(indexed).to.have.length.above(3 * indexedPlans.length - 1)
    for (const query of indexed) {
      const { rowFilter, sort } = selectionOf(query)
      for (const alternative of rowFilter.$or ?? [rowFilter]) {
        const serving = indexes.filter(index => isSortedBy(index, alternative, sort))
        expect(serving, inspect({ alternative, sort })).to.not.be.empty
      }
    }
  })
})

describeMongo('The indexes in MongoDB', engine => {
  const { collection, db, open, newFront, closing } = mongoForEach(engine, freshDatabase)

  const startLogged = async (): Promise<readonly string[]> => {
    const { log, lines } = recordingLog()
    await open({ log })
    return lines.map(({ msg }) => msg)
  }
  const indexNames = async (): Promise<readonly string[]> =>
    (await collection().listIndexes().toArray()).map(({ name }) => String(name))

  it('serve every filter and ordering without a sort, for numbered pages and cursors', async function () {
    const { documentdb } = await db().admin().command({ buildInfo: 1 })
    // a compatible engine plans in its own way
    if (documentdb !== undefined) this.skip()
    await open()
    const snippets = db().collection<SnippetDocument>('snippets')
    await snippets.insertMany(Array.from({ length: 1000 }, (_, i) => row(i)))
    for (const query of pages) {
      const { rowFilter, sort } = selectionOf(query)
      const { queryPlanner } = await snippets.find(rowFilter, { sort, limit: 11 }).explain()
      const stages = JSON.stringify(queryPlanner.winningPlan).match(/(?<="stage":")\w+/g)
      const isNarrow = query.seek !== undefined || Object.keys(query.filter).length > 0
      if (isIndexed(query) || isNarrow) expect(stages, inspect(query)).to.include('IXSCAN')
      if (isIndexed(query)) expect(stages, inspect(query)).to.not.include('SORT')
    }
  })

  it('are built once by several processes that start at the same time, and logged as complete', async () => {
    await Promise.all([startLogged(), startLogged(), startLogged()])
    expect(await startLogged()).to.deep.equal([complete])
    expect(await indexNames()).to.have.members(['_id_', ...names])
  })

  it('are built once even if the build outlasts the timeouts of other commands, and after a lost connection', async () => {
    const front = await newFront()
    const replies = [() => 'cut' as const, () => pause(1800, undefined)]
    let builds = 0
    front.intercept(({ createIndexes }) => (createIndexes === 'snippets' ? replies[builds++]?.() : undefined))
    await open({ url: front.url })
    expect(await indexNames()).to.have.members(['_id_', ...names])
    expect(builds).to.equal(replies.length)
  })

  it('delay no operation while their build hangs or after it is rejected, and are not built again soon', async () => {
    const front = await newFront()
    const rejection = { ok: 0, code: 171, codeName: 'CannotIndexParallelArrays', errmsg: 'parallel arrays' }
    let builds = 0
    for (const reply of [new Promise<undefined>(() => {}), rejection]) {
      const earlier = builds
      front.intercept(({ createIndexes }) => (createIndexes === 'snippets' && ++builds ? reply : undefined))
      const { whenPrepared, snippets } = closing(openMongoStorage({ url: front.url, users: [], log: silentLog }))
      await whenPrepared()
      must(await snippets.create(draft())())
      await eventually(() => builds > earlier)
    }
    // longer than the pause after a failed connection
    await pause(700)
    expect(builds).to.equal(2)
  })

  it('are followed by a warning if an index of an operator deletes snippets', async () => {
    const { log, warnings } = recordingLog()
    await open({ log })
    expect(warnings()).to.deep.equal([])
    await collection().createIndex({ created_at: 1 }, { name: 'mine', expireAfterSeconds: 1_000_000_000 })
    await open({ log })
    expect(inspect(warnings())).to.include('loses rows').and.to.include("expiring: [ 'mine' ]")
  })
})

const row = (i: number) =>
  documentOf(i + 1, {
    title: `title ${String(i % 100).padStart(2, '0')}`,
    code: 'code',
    language: i % 2 ? 'odd' : 'even',
    created_at: 1_750_000_000_000 + Math.floor(i / 4),
  })
