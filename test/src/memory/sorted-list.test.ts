import { SortedList } from '@snippets/adapters-memory/state/sorted-list.js'
import { expect } from 'chai'
import * as fc from 'fast-check'

/** Many have the same key; the serial number tells them apart. */
type Item = Readonly<{ key: number; serial: number }>

const compare = (a: Item, b: Item): number => a.key - b.key || a.serial - b.serial

/** Insertions by the keys of the new items. */
const keyOf: Readonly<Record<string, (i: number) => number>> = {
  scatter: i => (i * 7) % 41,
  append: () => 10_000,
  prepend: i => -i,
}
// more items than in a chunk, so that chunks are filled, split and emptied
const bulk = fc.oneof(
  fc.record({ kind: fc.constantFrom(...Object.keys(keyOf)), count: fc.nat(1500) }),
  fc.record({ kind: fc.constantFrom('remove', 'thin'), count: fc.integer({ min: 1, max: 600 }) }),
)
type Bulk = typeof bulk extends fc.Arbitrary<infer A> ? A : never

// chai takes minutes to print thousands of items
const expectItems = (items: readonly Item[], wanted: readonly Item[]): void => {
  expect(items.length).to.equal(wanted.length)
  expect(items.findIndex((item, i) => item !== wanted[i])).to.equal(-1)
}

const expectSame = (list: SortedList<Item>, model: readonly Item[]): void => {
  expectItems(list.slice(0, Number.POSITIVE_INFINITY), model)
  expect(list.rank({ key: Number.POSITIVE_INFINITY, serial: 0 })).to.equal(model.length)
  for (const [rank, item] of model.entries()) {
    if (rank % 199 > 0) continue
    expectItems(list.slice(rank, 3 * rank), model.slice(rank, 3 * rank))
    expect(list.rank(item)).to.equal(rank)
    expect(list.find({ ...item })).to.equal(item)
    expect(list.find({ ...item, serial: item.serial - 0.5 })).to.equal(undefined)
    expect(list.rank({ ...item, serial: -1 })).to.equal(model.findIndex(({ key }) => key === item.key))
  }
}

const play = (initial: number, bulks: readonly Bulk[]): void => {
  let model: readonly Item[] = Array.from({ length: initial }, (_, serial) => ({ key: serial >> 3, serial }))
  let serial = initial
  const list = new SortedList(compare, model)
  expectSame(list, model)
  for (const { kind, count } of bulks) {
    const key = keyOf[kind]
    if (key === undefined) {
      const isGone = (_: Item, i: number) => (i % count === 0) === (kind === 'remove')
      for (const item of model.filter(isGone)) list.remove({ ...item })
      model = model.filter((item, i) => !isGone(item, i))
    } else {
      const items = Array.from({ length: count }, (_, i) => ({ key: key(i), serial: serial++ }))
      for (const item of items) list.insert(item)
      model = [...model, ...items].sort(compare)
    }
    expectSame(list, model)
  }
}

describe('A sorted list', () => {
  it('always equals a plain sorted array', () => {
    const initial = fc.constantFrom(0, 1, 511, 512, 513, 1024, 1025, 5000)
    fc.assert(fc.property(initial, fc.array(bulk, { maxLength: 8, size: 'max' }), play), { numRuns: 20 })
  }).timeout(30_000)
})
