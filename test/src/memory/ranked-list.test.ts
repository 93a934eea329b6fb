import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { RankedList, type Span } from '@snippets/adapters-memory/ranked-list.js'
import { expect } from 'chai'
import * as fc from 'fast-check'

/** Items by their slots. Many have the same key; the serial number, which is the slot, tells them apart. */
type Item = Readonly<{ key: number; serial: number }>

const compare = (a: Item, b: Item): number => a.key - b.key || a.serial - b.serial

const column = { values: new Float64Array(600_000) }
const emptyList = (): RankedList => new RankedList({ column, compare: (a, b) => a - b })

// larger than a chunk, so that chunks are filled, split and emptied
const bulk = fc.oneof(
  fc.record({ kind: fc.constant('scatter' as const), count: fc.nat(1500), step: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ kind: fc.constant('append' as const), count: fc.nat(1500) }),
  fc.record({ kind: fc.constant('prepend' as const), count: fc.nat(1500) }),
  fc.record({ kind: fc.constant('remove' as const), every: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constant('thin' as const), every: fc.integer({ min: 2, max: 600 }) }),
  fc.record({ kind: fc.constant('clear' as const), from: fc.nat(100), to: fc.nat(100) }),
)
type Bulk = typeof bulk extends fc.Arbitrary<infer A> ? A : never

// chai takes minutes to print thousands of items
const expectItems = (slots: readonly number[], wanted: readonly Item[]): void => {
  expect(slots.length).to.equal(wanted.length)
  expect(slots.findIndex((slot, i) => slot !== wanted[i]?.serial)).to.equal(-1)
}

const expectSame = (list: RankedList, model: readonly Item[], seed: number): void => {
  expectItems(list.copy({ from: 0, to: model.length + 1 }), model)
  for (let i = 0; i < 8; i++) {
    const rank = (seed * (i + 1) * 7919) % Math.max(model.length, 1)
    const item = model[rank]
    if (item === undefined) return
    const span: Span = {
      from: Math.floor(rank / (i + 1)),
      to: rank + 1 + Math.floor((model.length - rank - 1) / (i + 1)),
    }
    expectItems(list.copy({ from: rank, to: span.to }), model.slice(rank, span.to))
    const below = model.filter(({ key }) => key < item.key).length
    expect(list.countBelow(item.key)).to.equal(below)
    expect(list.firstFrom(item.key)).to.equal(model[below]?.serial)
  }
  expect(list.length).to.equal(model.length)
  expect(list.countBelow(Number.POSITIVE_INFINITY)).to.equal(model.length)
  expect(list.countBelow(Number.NEGATIVE_INFINITY)).to.equal(0)
}

const play = (bulks: readonly Bulk[], seed: number): void => {
  const list = emptyList()
  let model: readonly Item[] = []
  let serial = 0
  const insert = (keys: readonly number[]): void => {
    const items = keys.map(key => ({ key, serial: serial++ }))
    for (const { key, serial } of items) {
      column.values[serial] = key
      list.insert(serial)
    }
    model = [...model, ...items].sort(compare)
  }
  const remove = (items: readonly Item[]): void => {
    for (const { serial } of items) list.remove(serial)
    const gone = new Set(items)
    model = model.filter(item => !gone.has(item))
  }
  for (const bulk of bulks) {
    if (bulk.kind === 'scatter') insert(Array.from({ length: bulk.count }, (_, i) => (i * bulk.step) % 41))
    else if (bulk.kind === 'append') insert(Array(bulk.count).fill(41))
    else if (bulk.kind === 'prepend') insert(Array.from({ length: bulk.count }, (_, i) => -i))
    else if (bulk.kind === 'remove') remove(model.filter((_, i) => i % bulk.every === 0))
    else if (bulk.kind === 'thin') remove(model.filter((_, i) => i % bulk.every !== 0))
    else remove(model.slice((model.length * bulk.from) / 100, (model.length * bulk.to) / 100))
    expectSame(list, model, seed)
  }
}

/** Of arrays of slots: the rest of the heap holds what other tests of this process left. The second collection sweeps what the first found. */
const usedMemory = (): number => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc')
  gc()
  gc()
  return process.memoryUsage().arrayBuffers
}

describe('A ranked list', () => {
  it('always equals a plain sorted array', () => {
    fc.assert(fc.property(fc.array(bulk, { maxLength: 8, size: 'max' }), fc.integer({ min: 1, max: 1000 }), play), {
      numRuns: 60,
      interruptAfterTimeLimit: 15_000,
    })
  }).timeout(30_000)

  it('is empty at first, and again when everything is removed', () => {
    const list = emptyList()
    expect(list.copy({ from: 0, to: 10 })).to.deep.equal([])
    expect(list.firstFrom(0)).to.equal(undefined)
    column.values.fill(0)
    for (let slot = 0; slot < 3000; slot++) list.insert(slot)
    for (let slot = 0; slot < 3000; slot++) list.remove(slot)
    expect(list.copy({ from: 0, to: 10 })).to.deep.equal([])
    expect(list.length).to.equal(0)
    list.insert(1)
    expect(list.copy({ from: 0, to: 10 })).to.deep.equal([1])
    expect(list.firstFrom(0)).to.equal(1)
    expect(list.firstFrom(1)).to.equal(undefined)
  })

  it('equals one that was filled with sorted slots, also after writes', () => {
    for (const count of [0, 1, 2, 1023, 1024, 1025, 5000]) {
      const list = emptyList()
      const slots = Array.from({ length: count }, (_, i) => i)
      for (const slot of slots) column.values[slot] = slot >> 3
      list.fill(slots)
      const model = slots.map(serial => ({ key: serial >> 3, serial }))
      expectSame(list, model, 1)
      if (count > 2) {
        list.remove(1)
        list.insert(1)
        expectSame(list, model, 2)
      }
    }
  })

  it('gives back the memory of slots that are removed one here and one there', () => {
    const list = emptyList()
    for (let slot = 0; slot < 512_000; slot++) column.values[slot] = slot
    const empty = usedMemory()
    for (let slot = 0; slot < 512_000; slot++) list.insert(slot)
    const full = usedMemory() - empty
    for (let slot = 0; slot < 512_000; slot++) if (slot % 1024 > 0) list.remove(slot)
    expect(list.copy({ from: 0, to: 2000 })).to.have.length(500)
    expect(usedMemory() - empty).to.be.below(full / 10)
  })

  it('takes few comparisons to insert a slot', () => {
    let comparisons = 0
    const same = { values: new Float64Array(20_000) }
    const list = new RankedList({
      column: same,
      compare: (a, b) => {
        comparisons++
        return a - b
      },
    })
    for (let i = 0; i < 20_000; i++) list.insert((i * 7919) % 20_000)
    expect(comparisons / 20_000).to.be.below(20)
  })
})
