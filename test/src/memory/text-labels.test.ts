import { type Relabelled, TextLabels } from '@snippets/adapters-memory/text-labels.js'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { compareCodePoints } from '../contracts/storage/model.js'

/** Texts with the labels that they were given, kept up to date as an index does. */
const labelled = () => {
  const given = new Map<string, number>()
  const textOf = new Map<number, string>()
  const give = (text: string, label: number): void => {
    given.set(text, label)
    textOf.set(label, text)
  }
  let relabellings = 0
  const labels = new TextLabels(({ from, to, labels }: Relabelled) => {
    relabellings++
    expect([Math.min(...labels.keys()), Math.max(...labels.keys())]).to.deep.equal([from, to])
    const moved = [...labels.keys()].map(label => textOf.get(label))
    for (const label of labels.keys()) textOf.delete(label)
    for (const [i, label] of [...labels.values()].entries()) give(moved[i] ?? '', label)
  })
  const use = (text: string): void => {
    const { label, kept } = labels.use(text)
    expect(kept).to.equal(text)
    if (given.has(text)) expect(label).to.equal(given.get(text))
    give(text, label)
  }
  const forget = (text: string): void => {
    textOf.delete(given.get(text) ?? 0)
    given.delete(text)
  }
  const expectSorted = (): void => {
    const sorted = [...given].sort(([a], [b]) => compareCodePoints(a, b))
    const wrong = sorted.findIndex(([, label], i) => label <= (sorted[i - 1]?.[1] ?? 0) || !Number.isSafeInteger(label))
    expect(wrong).to.equal(-1)
    expect([...given].findIndex(([text, label]) => labels.find(text) !== label)).to.equal(-1)
  }
  return { labels, use, forget, expectSorted, relabellings: () => relabellings }
}

const number = (i: number): string => String(i).padStart(6, '0')

describe('The labels of texts', () => {
  it('sort as the texts do by code point, also after texts were released', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.constantFrom('a', 'a\u0000', 'ab', '\ue000', '😀', '\uffff'),
      fc.integer({ min: 0, max: 2000 }).map(number),
    )
    const step = fc.record({ text, release: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 600, size: 'max' }), steps => {
        const { labels, use, forget, expectSorted } = labelled()
        const uses = new Map<string, number>()
        for (const { text, release } of steps) {
          const count = uses.get(text) ?? 0
          if (!release) use(text)
          else if (count > 0) labels.release(text)
          else continue
          uses.set(text, count + (release ? -1 : 1))
          if (uses.get(text) === 0) {
            forget(text)
            expect(labels.find(text)).to.equal(undefined)
          }
        }
        expectSorted()
      }),
      { numRuns: 50 },
    )
  }).timeout(30_000)

  it('stay as long as a text is in use, however it came there', () => {
    const texts = Array.from({ length: 300 }, (_, i) => number(i))
    for (const start of ['used', 'filled'] as const) {
      const { labels } = labelled()
      if (start === 'filled') labels.fill([...texts, ...texts])
      else for (const text of [...texts, ...texts]) labels.use(text)
      for (const text of texts) labels.release(text)
      expect(texts.filter(text => labels.find(text) === undefined)).to.deep.equal([])
      for (const text of texts) labels.release(text)
      expect(texts.filter(text => labels.find(text) !== undefined)).to.deep.equal([])
    }
  })

  const count = 10_000
  const orders: Readonly<Record<string, (i: number) => string>> = {
    ascending: number,
    descending: i => number(count - i),
    'ascending before a text that is there': i => (i === 0 ? 'z' : number(i)),
    'from both ends towards the middle': i => number(i % 2 === 0 ? i : 2 * count - i),
    'ascending at one place in the middle': i => (i < 2 ? 'az'.charAt(i) : `m${number(i)}`),
    'descending at one place in the middle': i => (i < 2 ? 'az'.charAt(i) : `m${number(count - i)}`),
  }
  for (const [order, textOf] of Object.entries(orders))
    it(`sort as thousands of texts do that come ${order}, and change seldom`, () => {
      const { use, expectSorted, relabellings } = labelled()
      for (let i = 0; i < count; i++) use(textOf(i))
      expectSorted()
      expect(relabellings()).to.be.below(count / 8)
      // texts that come in order are not labelled halfway each time
      if (!order.startsWith('from both')) expect(relabellings()).to.be.below(count / 40)
    }).timeout(30_000)

  it('are shared by equal texts until the last is released', () => {
    const { labels, use } = labelled()
    for (let i = 0; i < 3; i++) use('a')
    labels.release('a')
    labels.release('a')
    expect(labels.find('a')).to.be.a('number')
    labels.release('a')
    expect(labels.find('a')).to.equal(undefined)
  })
})
