import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { cursorOf } from '@snippets/adapters-http/request/cursor.js'
import { orderingOf } from '@snippets/domain/ordering.js'
import { expect } from 'chai'
import { isNone } from 'fp-ts/lib/Option.js'
import { anId } from '../support/snippets.js'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

const heldMegabytes = (): number => {
  collect()
  return process.memoryUsage().heapUsed / 1e6
}

describe('The cursors that were made for a query', () => {
  it('are kept for one page, not for a walk through all of them', () => {
    const ordering = orderingOf([{ field: 'title', direction: 'asc' }])
    if (isNone(ordering)) throw new Error('no ordering')
    const query = { filter: {}, ordering: ordering.value }
    const make = (i: number) =>
      cursorOf(query, { id: anId(BigInt(i)), created_at: 0, title: `${i} ${'x'.repeat(10_000)}` })
    make(1)
    const before = heldMegabytes()
    for (let i = 1; i <= 2000; i++) make(i)
    const last = make(2000)
    expect(heldMegabytes() - before).to.be.below(5)
    // so that the query is still in use
    expect(make(2000)).to.equal(last)
  })
})
