import { type Level, readOrdered } from '@snippets/adapters-memory/ordered-read.js'
import { RankedList } from '@snippets/adapters-memory/ranked-list.js'
import { expect } from 'chai'

type Item = Readonly<{ key: number; id: number }>

const count = 20_000

const listOf = (keyOf: (id: number) => number): RankedList<Item> => {
  const list = new RankedList<Item>((a, b) => a.key - b.key || a.id - b.id)
  for (let id = 0; id < count; id++) list.insert({ key: keyOf(id), id })
  return list
}

/** How many comparisons it takes to read ten items by descending key. */
const comparisonsFor = (list: RankedList<Item>, skip: number): number => {
  let comparisons = 0
  const areEqual: Level<Item>['areEqual'] = (a, b) => {
    comparisons++
    return a.key === b.key
  }
  const items = readOrdered(list, { from: 0, to: count }, [{ areEqual, direction: 'desc' }], { skip, size: 10 })
  expect(items).to.have.length(10)
  return comparisons
}

describe('An ordered read', () => {
  for (const [name, keyOf] of Object.entries({
    'keys all differ': (id: number) => id,
    'two share each key': (id: number) => id >> 1,
    'thousands share each key': (id: number) => id % 3,
    'all share one key': () => 0,
  })) {
    it(`takes few comparisons at any depth where ${name}`, () => {
      const list = listOf(keyOf)
      for (const skip of [0, 1, 10, count / 2, count - 1000, count - 10]) {
        expect(comparisonsFor(list, skip), `after ${skip}`).to.be.below(100)
      }
    })
  }
})
