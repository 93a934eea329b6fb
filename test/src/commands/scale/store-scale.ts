import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import type { Draft } from '@snippets/domain/entities/snippet.js'
import type { Ordering } from '@snippets/domain/queries/ordering.js'
import { makeWindow } from '@snippets/domain/queries/page.js'
import { byId, sortedBy } from '../../support/queries.js'
import { draft, must } from '../../support/snippets.js'
import { median } from '../measuring/command.js'
import { languageOf } from '../measuring/load.js'

type Line = readonly [what: string, measured: string]

/** Half of the snippets have common titles, each shared by a thousandth of all snippets. */
const contentOf = (i: number) => ({
  title: i % 2 === 0 ? `common title ${i % 1000}` : `a title of its own, number ${i}`,
  code: `export const answer${i} = () => ${'x'.repeat(i % 400)}${i}\n`,
  language: languageOf(i),
})

type Orders = Readonly<Record<string, Ordering>>

const threeOrders: Orders = { id: byId, '-created_at': sortedBy('-created_at'), title: sortedBy('title') }
const threeMore: Orders = {
  'created_at, title': sortedBy('created_at', 'title'),
  '-created_at, title': sortedBy('-created_at', 'title'),
  'title, -created_at': sortedBy('title', '-created_at'),
}

const millisecondsOf = async (run: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now()
  await run()
  return performance.now() - begun
}

/** Returns the median time per run over many short rounds. The time to make the input is excluded. */
const microsecondsOf = async <A>(inputOf: (i: number) => A, run: (input: A) => Promise<unknown>): Promise<string> => {
  const rounds: number[] = []
  for (let round = 0; round < 60; round++) {
    const inputs = Array.from({ length: 100 }, (_, i) => inputOf(round * 100 + i))
    rounds.push(
      await millisecondsOf(async () => {
        for (const input of inputs) await run(input)
      }),
    )
  }
  return `${(median(rounds) * 10).toFixed(1)} µs`
}

const usedBytes = (): number => {
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Measures the storage in memory without HTTP. */
export const measureStore = async (count: number): Promise<readonly Line[]> => {
  const { snippets, heldBytes } = memoryStorage({ users: [] })
  let made = 0
  const nextDraft = (): Draft => {
    // parsed from JSON, as in a request: V8 would otherwise store the parts of a concatenated text
    const content = JSON.parse(JSON.stringify(contentOf(made++)))
    return draft({ ...content, created_at: 1.75e12 + made })
  }
  const create = async (next: Draft) => must(await snippets.create(next)())
  const page = async (ordering: Ordering, number: number, language?: string): Promise<unknown> => {
    const filter = language === undefined ? {} : { language }
    return must(await snippets.page({ filter, ordering, window: makeWindow(number, 10) })())
  }
  const pageAt = (i: number): number => 1 + ((i * 7919) % Math.floor(count / 10))
  const before = usedBytes()
  while (made < count) await create(nextDraft())
  const lines: Line[] = [
    ['bytes of memory per snippet', ((usedBytes() - before) / count).toFixed(0)],
    ['bytes counted per snippet', (heldBytes() / count).toFixed(0)],
  ]
  for (const [orders, used] of [
    [threeOrders, 'three'],
    [threeMore, 'six'],
  ] as const) {
    for (const [name, order] of Object.entries(orders)) {
      const ms = await millisecondsOf(() => page(order, 1))
      lines.push([`first page by ${name}`, `${ms.toFixed(0)} ms`])
    }
    lines.push([`creation with ${used} orders in use`, await microsecondsOf(nextDraft, create)])
  }
  for (const [name, order] of Object.entries({ ...threeOrders, ...threeMore }))
    lines.push([`page of 10 by ${name}`, await microsecondsOf(pageAt, number => page(order, number))])
  const inOrder = sortedBy('-created_at')
  const ofLanguage = await microsecondsOf(
    i => 1 + (i % 100),
    number => page(inOrder, number, languageOf(0)),
  )
  return [...lines, ['page of 10 of a language by -created_at', ofLanguage]]
}
