import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { RankedList, type Span } from '@snippets/adapters-memory/ranked-list.js'
import { expect } from 'chai'
import * as fc from 'fast-check'

/** Many items have the same key; the serial number tells them apart. */
type Item = Readonly<{ key: number; serial: number }>

const compare = (a: Item, b: Item): number => a.key - b.key || a.serial - b.serial

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
const expectItems = (items: readonly Item[], wanted: readonly Item[]): void => {
  expect(items.length).to.equal(wanted.length)
  expect(items.findIndex((item, i) => item !== wanted[i])).to.equal(-1)
}

const expectSame = (list: RankedList<Item>, model: readonly Item[], seed: number): void => {
  expectItems(list.copy({ from: 0, to: model.length + 1 }, []), model)
  for (let i = 0; i < 8; i++) {
    const rank = (seed * (i + 1) * 7919) % Math.max(model.length, 1)
    const item = model[rank]
    if (item === undefined) return
    const span: Span = {
      from: Math.floor(rank / (i + 1)),
      to: rank + 1 + Math.floor((model.length - rank - 1) / (i + 1)),
    }
    expectItems(list.copy({ from: rank, to: span.to }, []), model.slice(rank, span.to))
    expect(list.rankOf(other => compare(other, item) < 0)).to.equal(rank)
    expect(list.rankOf(other => compare(other, item) <= 0)).to.equal(rank + 1)
  }
  expect(list.rankOf(() => true)).to.equal(model.length)
  expect(list.rankOf(() => false)).to.equal(0)
}

const play = (bulks: readonly Bulk[], seed: number): void => {
  const list = new RankedList(compare)
  let model: readonly Item[] = []
  let serial = 0
  const insert = (keys: readonly number[]): void => {
    const items = keys.map(key => ({ key, serial: serial++ }))
    for (const item of items) list.insert(item)
    model = [...model, ...items].sort(compare)
  }
  const remove = (items: readonly Item[]): void => {
    for (const item of items) list.remove(item)
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

const usedHeap = (): number => {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

describe('A ranked list', () => {
  it('always equals a plain sorted array', () => {
    fc.assert(fc.property(fc.array(bulk, { maxLength: 8, size: 'max' }), fc.integer({ min: 1, max: 1000 }), play), {
      numRuns: 60,
      interruptAfterTimeLimit: 15_000,
    })
  }).timeout(30_000)

  it('is empty at first, and again when everything is removed', () => {
    const list = new RankedList(compare)
    expect(list.copy({ from: 0, to: 10 }, [])).to.deep.equal([])
    expect(list.rankOf(() => true)).to.equal(0)
    const items = Array.from({ length: 1025 }, (_, serial) => ({ key: 0, serial }))
    for (const item of items) list.insert(item)
    for (const item of items) list.remove(item)
    expect(list.copy({ from: 0, to: 10 }, [])).to.deep.equal([])
    list.insert({ key: 1, serial: 1 })
    expect(list.copy({ from: 0, to: 10 }, [])).to.deep.equal([{ key: 1, serial: 1 }])
  })

  it('gives back the memory of items that are removed one here and one there', () => {
    const list = new RankedList<number>((a, b) => a - b)
    const empty = usedHeap()
    for (let i = 0; i < 512_000; i++) list.insert(i)
    const full = usedHeap() - empty
    for (let i = 0; i < 512_000; i++) if (i % 512 > 0) list.remove(i)
    expect(list.copy({ from: 0, to: 2000 }, [])).to.have.length(1000)
    expect(usedHeap() - empty).to.be.below(full / 10)
  })

  it('takes few comparisons to insert an item', () => {
    let comparisons = 0
    const list = new RankedList<number>((a, b) => {
      comparisons++
      return a - b
    })
    for (let i = 0; i < 20_000; i++) list.insert((i * 7919) % 20_000)
    expect(comparisons / 20_000).to.be.below(20)
  })
})
