import type { Row } from '@snippets/domain/entities/row.js'
import { firstVersion } from '@snippets/domain/entities/snippet.js'
import type { User } from '@snippets/domain/entities/user.js'
import type { RowResult, RowSource, RowTarget } from '@snippets/domain/ports/row-store.js'
import { makeWindow } from '@snippets/domain/queries/page.js'
import { maxId } from '@snippets/domain/values/id.js'
import { expect } from 'chai'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { firstPage, sortedBy } from '../../support/queries.js'
import { anId, anyRevision, draft, must, now } from '../../support/snippets.js'
import type { OpenStorage } from './storage-contract.js'

export const userRow = (id: bigint, username = 'ada'): Row => ({ kind: 'user', entity: { id: anId(id), username } })

export const snippetRow = (id: bigint, title = 'a title', version = 1): Row => ({
  kind: 'snippet',
  entity: { ...firstVersion(anId(id), draft({ title, created_at: -5 })), version },
})

export const snapshotOf = async (source: RowSource): Promise<Readonly<{ lastId: bigint; rows: readonly Row[] }>> => {
  const { lastId, rows } = must(await source.snapshot())
  const all: Row[] = []
  for await (const batch of rows) all.push(...must(batch))
  return { lastId, rows: all }
}

export const failureOf = async (result: RowResult<unknown>): Promise<string> => {
  const settled = await result()
  return isLeft(settled) ? settled.left.fault : 'it did not fail'
}

type RowHarness = Readonly<{
  /** Whether several processes may use the storage. It then keeps its users instead of those of the settings. */
  isShared: boolean
  create: () => Promise<RowData>
  /** Returns rows that cannot be opened, such as those of a database at a closed port. */
  unreachable: () => Promise<OpenRows>
}>

type OpenRows = Readonly<{ openSource: RowResult<RowSource>; openTarget: RowResult<RowTarget> }>

/** New, empty data. The rows and the storage are never open at the same time. */
type RowData = OpenRows &
  Readonly<{ openStorage: (users: readonly User[]) => Promise<OpenStorage>; remove: () => unknown }>

export const fill = async (target: RowTarget, lastId: bigint, rows: readonly Row[]): Promise<void> => {
  must(await target.begin(lastId)())
  must(await target.add(rows)())
  must(await target.finish())
}

/** Tests the demands of `domain/src/ports/row-store.ts` on the rows of a persistent storage. */
export const rowStoreContract = (name: string, { isShared, create, unreachable }: RowHarness): void => {
  describe(`Row store contract of ${name}: the rows`, () => {
    let data: RowData
    let target: RowTarget
    beforeEach(async () => {
      data = await create()
      target = must(await data.openTarget())
    })
    afterEach(async () => {
      must(await target.close())
      await data.remove()
    })

    /** Opens the storage of the rows, while they are closed. */
    const inStorage = async (
      work: (storage: OpenStorage) => Promise<void>,
      users: readonly User[] = [],
    ): Promise<void> => {
      must(await target.close())
      const storage = await data.openStorage(users)
      await work(storage)
      await storage.close()
      target = must(await data.openTarget())
    }
    /** Reads the rows like another process that copies from the storage. */
    const reopened = async () => {
      must(await target.close())
      const source = must(await data.openSource())
      const snapshot = await snapshotOf(source)
      must(await source.close())
      target = must(await data.openTarget())
      return snapshot
    }

    it('are served and listed by a storage, which assigns larger ids than the last one', async () => {
      await fill(target, 1000n, [userRow(3n), snippetRow(5n), snippetRow(500n, '😀')])
      await inStorage(async ({ snippets, users }) => {
        expect(await snippets.get(anId(500n))()).to.deep.equal(right(snippetRow(500n, '😀').entity))
        expect(await users.get(anId(3n))()).to.deep.equal(right(userRow(3n).entity))
        const listed = { ...firstPage({ title: '😀' }), ordering: sortedBy('-created_at') }
        expect(must(await snippets.page(listed)())).to.deep.include({
          count: 1,
          items: [snippetRow(500n, '😀').entity],
        })
        expect(must(await snippets.create(draft())()).id > 1000n).to.equal(true)
      })
    })

    it('are read unchanged by each reader with the last id, in batches of users and then of snippets, each by id', async () => {
      const rows = [
        userRow(1n),
        userRow(10n),
        snippetRow(2n, '😀\0', 7),
        ...Array.from({ length: 1500 }, (_, i) => snippetRow(BigInt(i + 3))),
        snippetRow(2n ** 53n),
        snippetRow(2n ** 53n + 1n),
      ]
      await fill(target, maxId, rows)
      for await (const batch of must(await target.snapshot()).rows) if (must(batch).length > 0) break
      expect(await snapshotOf(target)).to.deep.equal({ lastId: maxId, rows })
      expect(await reopened()).to.deep.equal({ lastId: maxId, rows })
    })

    it('with the largest version are Corrupt when updated, also after the next start', async () => {
      await fill(target, 1n, [snippetRow(1n, 'a title', Number.MAX_SAFE_INTEGER)])
      for (let start = 0; start < 2; start++)
        await inStorage(async ({ snippets }) => {
          const updated = await snippets.update(anId(1n), {}, anyRevision, now)()
          expect(updated).to.have.nested.property('left._tag', 'Corrupt')
          expect(updated).to.have.nested.property('left.cause.message').that.includes('version')
        })
    })

    for (const rows of [[], [userRow(3n)]]) {
      const transferred = rows.map(({ entity }) => entity)
      const given = [3n, 4n].map(id => ({ id: anId(id), username: 'grace' }))
      const isReplaced = rows.length === 0 || !isShared
      it(`with ${rows.length} users ${isReplaced ? 'are served with' : 'are kept instead of'} those of the settings`, async () => {
        await fill(target, 0n, rows)
        await inStorage(async ({ users }) => {
          expect(must(await users.page(makeWindow(1, 10))()).items).to.deep.equal(isReplaced ? given : transferred)
        }, given)
      })
    }

    it('that cannot be reached are a RowFailure', async () => {
      const { openSource, openTarget } = await unreachable()
      for (const open of [openSource, openTarget])
        expect(await open()).to.have.nested.property('left._tag', 'RowFailure')
    })

    for (const [has, lastId, rows] of [
      ['holds', 0n, [userRow(1n)]],
      ['held', 7n, []],
    ] as const)
      it(`are not added to a storage that ${has} rows`, async () => {
        expect(await reopened()).to.deep.equal({ lastId: 0n, rows: [] })
        await fill(target, lastId, rows)
        expect(await failureOf(target.begin(9n))).to.match(/^is not empty\. Name another target/)
        expect(await reopened()).to.deep.equal({ lastId, rows })
      })
  })
}
