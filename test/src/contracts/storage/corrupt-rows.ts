import { makeWindow } from '@snippets/domain/queries/page.js'
import type { Id } from '@snippets/domain/values/id.js'
import { expect } from 'chai'
import { isLeft, isRight, right } from 'fp-ts/lib/Either.js'
import { aSearch, everyShape, firstPage } from '../../support/queries.js'
import { bodyOf } from '../../support/samples.js'
import { anyRevision, changes, draft, must, now } from '../../support/snippets.js'
import { naivePage } from '../../support/storage/model.js'
import { itOnNewStorage } from '../../support/storage/open-storage.js'
import { createAll } from './pages.js'
import type { OpenStorage } from './storage-contract.js'

/** A storage with a function that stores an empty title in a row, and leaves the rest and its index keys. */
export type CorruptibleStorage = OpenStorage & Readonly<{ corrupt: (id: Id) => Promise<unknown> }>

export const corruptRowsContract = (open: () => Promise<CorruptibleStorage>): void => {
  itOnNewStorage(open)('isolates corrupt rows from all other rows', async storage => {
    const { snippets, corrupt } = storage
    const create = async () => must(await snippets.create(draft())())
    const first = await create()
    const others = await createAll(storage, Array(10).fill(draft()))
    const last = await create()
    for (const { id } of others) await corrupt(id)

    const failures: unknown[] = []
    for (const { id } of others)
      failures.push(await snippets.get(id)(), await snippets.update(id, {}, anyRevision, now)())
    for (const good of [first, last]) expect(await snippets.get(good.id)()).to.deep.equal(right(good))
    const listed = []
    for await (const batch of snippets.all()) {
      if (isRight(batch)) listed.push(...batch.right)
      else failures.push(batch)
    }
    if (failures.length === 2 * others.length) expect(listed).to.deep.equal([first, last])
    for (const [side, { id }, items] of [
      ['after', first, [last]],
      ['before', last, [first]],
    ] as const) {
      // a page without rows would have no cursor for the next one
      const query = { ...firstPage(), window: makeWindow(1, 2), seek: { side, position: { id } } } as const
      const page = await snippets.page(query)()
      if (isRight(page)) expect(page.right).to.deep.include({ items, hasMore: false })
      else failures.push(page)
    }
    for (const failure of failures) expect(failure).to.have.nested.property('left._tag', 'Corrupt')

    must(await snippets.update(first.id, {}, anyRevision, now)())
    must(await snippets.delete(last.id, anyRevision)())
    await create()
  })

  itOnNewStorage(open)('finds a repaired row by its new values only, and a deleted row by none', async storage => {
    const { snippets, corrupt } = storage
    const create = async () => must(await snippets.create(draft())())
    const [broken, removed, intact] = [await create(), await create(), await create()]
    for (const { id } of [broken, removed]) await corrupt(id)
    const repaired = await snippets.update(broken.id, changes(bodyOf({ title: 'repaired' })), anyRevision, now)()
    const deleted = await snippets.delete(removed.id, anyRevision)()
    for (const result of [repaired, deleted])
      if (isLeft(result)) return void expect(result.left._tag).to.equal('Corrupt')
    for (const { ordering } of everyShape)
      for (const filter of [{}, { title: draft().title }, { title: 'repaired' }, { search: aSearch('title') }]) {
        const query = { ...firstPage(filter), ordering }
        expect(await snippets.page(query)()).to.deep.equal(right(naivePage([must(repaired), intact], query)))
      }
  })
}
