import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import type { Ordering } from '@snippets/domain/ordering.js'
import { windowOf } from '@snippets/domain/page.js'
import type { SnippetStore } from '@snippets/domain/ports.js'
import { byId, sortedBy } from '../../support/queries.js'
import { draft, must } from '../../support/snippets.js'
import { median } from '../measuring/statistics.js'
import { contentOf } from './scale-content.js'

export type Line = readonly [what: string, measured: string]

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

/** The median of many short rounds, in microseconds for each run. */
const microsecondsOf = async (run: (i: number) => Promise<unknown>): Promise<string> => {
  const rounds: number[] = []
  for (let round = 0; round < 60; round++)
    rounds.push(
      await millisecondsOf(async () => {
        for (let i = 0; i < 100; i++) await run(round * 100 + i)
      }),
    )
  return `${(median(rounds) * 10).toFixed(1)} µs`
}

const usedBytes = (): number => {
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** The storage in memory alone, without HTTP. */
export const measureStore = async (count: number): Promise<readonly Line[]> => {
  const { snippets, heldBytes } = memoryStorage({ users: [] })
  const before = usedBytes()
  let text = 0
  for (let i = 0; i < count; i++) {
    const { title, code, language } = must(await create(snippets, i))
    text += title.length + code.length + language.length
  }
  const bytes = (usedBytes() - before) / count
  const page = async (ordering: Ordering, number: number, language?: string): Promise<unknown> => {
    const filter = language === undefined ? {} : { language }
    return must(await snippets.page({ filter, ordering, window: windowOf(number, 10) })())
  }
  const lines: Line[] = [
    ['bytes of memory a snippet', bytes.toFixed(0)],
    ['bytes that it is counted as', (heldBytes() / count).toFixed(0)],
    ['bytes of text in it', (text / count).toFixed(0)],
  ]
  const firstUses = async (orders: Orders): Promise<void> => {
    for (const [name, order] of Object.entries(orders)) {
      const ms = await millisecondsOf(() => page(order, 1))
      lines.push([`first page by ${name}`, `${ms.toFixed(0)} ms`])
    }
  }
  await firstUses(threeOrders)
  lines.push(['creation with three orders in use', await microsecondsOf(i => create(snippets, count + i))])
  await firstUses(threeMore)
  lines.push(['creation with six orders in use', await microsecondsOf(i => create(snippets, count + 6000 + i))])
  const pages = Math.floor(count / 10)
  for (const [name, order] of Object.entries({ ...threeOrders, ...threeMore }))
    lines.push([`page of 10 by ${name}`, await microsecondsOf(i => page(order, 1 + ((i * 7919) % pages)))])
  const { language } = contentOf(0)
  lines.push([
    'page of 10 of a language by -created_at',
    await microsecondsOf(i => page(sortedBy('-created_at'), 1 + (i % 100), language)),
  ])
  return lines
}

/** Through JSON, as a body arrives: otherwise V8 keeps the parts of a text instead of the text. */
const create = (snippets: SnippetStore, i: number) =>
  snippets.create(draft({ ...JSON.parse(JSON.stringify(contentOf(i))), created_at: 1.75e12 + i }))()
