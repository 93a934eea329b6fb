import { inTimeAfter } from '@snippets/adapters-mongo/connection/in-time.js'
import { SharedCounts } from '@snippets/adapters-mongo/documents/shared-counts.js'
import { retryKeys } from '@snippets/adapters-mongo/snippets/retry-keys.js'
import type { SnippetDocument } from '@snippets/adapters-mongo/snippets/snippet-document.js'
import { snippetStore } from '@snippets/adapters-mongo/snippets/snippet-store.js'
import { standingIndexes } from '@snippets/adapters-mongo/snippets/standing-indexes.js'
import type { Count } from '@snippets/domain/page.js'
import type { SnippetStore } from '@snippets/domain/ports.js'
import { anyRevision } from '@snippets/domain/revision.js'
import { expect } from 'chai'
import { type Collection, type Db, MongoClient } from 'mongodb'
import { silent } from '../support/mongo/database.js'
import { firstPage } from '../support/queries.js'
import { anId, draft, must } from '../support/snippets.js'
import { type VirtualTime, virtualTime } from '../support/virtual-time.js'

describe('Slow shared counts', () => {
  let time: VirtualTime
  beforeEach(() => {
    time = virtualTime()
  })
  afterEach(() => time.end())

  const filter = { language: 'go' }
  const many = { count: 10_000 }

  /** Counts that answer when they are told to. */
  const manual = () => {
    const runs: ((count: Count) => void)[] = []
    const counts = new SharedCounts(() => new Promise<Count>(resolve => runs.push(resolve)))
    return { counts, runs }
  }

  it('are not remembered when something was written while they ran', async () => {
    const { counts, runs } = manual()
    void counts.of(filter)
    await time.pass(120)
    counts.outdate()
    runs[0]?.(many)
    await time.pass(1)
    void counts.of(filter)
    expect(runs).to.have.length(2)
  })

  it('are not waited for when they are stuck, and do not end those that began after', async () => {
    const { counts, runs } = manual()
    void counts.of(filter)
    await time.pass(1300)
    void counts.of(filter)
    expect(runs).to.have.length(2)
    runs[0]?.({ count: 1 })
    await time.pass(1)
    void counts.of(filter)
    expect(runs).to.have.length(2)
  })
})

describe('A slow count of a list', () => {
  let time: VirtualTime
  beforeEach(() => {
    time = virtualTime()
  })
  afterEach(() => time.end())

  /** A list of many snippets, which are slow to count, and whose writes are done when they are told to. */
  const listOfMany = () => {
    let counted = 0
    let finish = (): void => {}
    const write = () => new Promise(resolve => (finish = () => resolve({ deletedCount: 1 })))
    const found = Array.from({ length: 11 }, (_, i) => ({ _id: BigInt(i + 1), ...row }))
    const collection = {
      find: ({ language }: { language?: string }) => ({ toArray: async () => (language === 'go' ? found : []) }),
      countDocuments: () => new Promise(resolve => setTimeout(() => resolve(10_000 + counted++), 110)),
      insertMany: write,
      findOneAndUpdate: () => write().then(() => found[0]),
      deleteOne: write,
      createIndex: async () => {},
      updateMany: async () => {},
    } as unknown as Collection<SnippetDocument>
    return { collection, finish: () => finish() }
  }
  const row = { title: 't', code: 'c', language: 'go', created_at: new Date(0), version: 1 }

  const storeOf = (snippets: Collection<SnippetDocument>): SnippetStore => {
    const inTime = inTimeAfter(async () => {})
    const ids = { reserve: async () => [anId(1n)], catchUp: async () => {} }
    return snippetStore({
      inTime,
      inTurn: inTime,
      client: new MongoClient('mongodb://host'),
      snippets,
      ids,
      keys: retryKeys({ collection: () => snippets } as unknown as Db),
      standing: standingIndexes(silent),
    })
  }

  const writes: Readonly<Record<string, (store: SnippetStore) => () => Promise<unknown>>> = {
    create: store => store.create(draft()),
    createOnce: store => store.createOnce(draft(), { key: 'k', fingerprint: 'f' }),
    update: store => store.update(anId(1n), {}, anyRevision),
    delete: store => store.delete(anId(1n), anyRevision),
  }

  for (const [name, begin] of Object.entries(writes))
    it(`is not shown again after ${name} has answered`, async () => {
      const { collection, finish } = listOfMany()
      const store = storeOf(collection)
      const count = async (): Promise<number> => {
        const page = store.page(firstPage({ language: 'go' }))()
        await time.pass(120)
        return must(await page).count
      }
      const written = begin(store)()
      expect([await count(), await count()]).to.deep.equal([10_000, 10_000])
      finish()
      await written
      expect(await count()).to.equal(10_001)
    })
})
