import { wrongUse } from '@snippets/apps/exit-codes.js'
import { measureStore, type StoreScale } from './scale/measure-store.js'
import { measureStream } from './scale/measure-stream.js'

/** `npm run scale` measures up to a million snippets in memory; `npm run scale -- 10000` stops there. */
const most = Number(process.argv[2] ?? 1_000_000)
if (!(most >= 1_000)) {
  console.error('npm run scale -- SNIPPETS: a number from 1000')
  process.exit(wrongUse)
}
const sizesFrom = (smallest: number): readonly number[] =>
  [1_000, 10_000, 100_000, 1_000_000].filter(size => size >= smallest && size <= most)

/** At the largest size, in microseconds. */
const goals: readonly Readonly<{ of: RegExp; below: number }>[] = [
  { of: /^page of 10,/, below: 5 },
  { of: /^page of 100,/, below: 20 },
  { of: /^create/, below: 12 },
  { of: /^delete/, below: 15 },
]

const progress = (text: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
}
const verdict = (isMet: boolean): string => (isMet ? 'met' : 'missed')

const stores = new Map<string, StoreScale>()
for (const size of sizesFrom(1_000)) {
  stores.set(String(size), await measureStore(size, done => progress(`fills a store: ${done} of ${size}`)))
}
progress('')

console.log('The store alone, microseconds per operation, by how many snippets it has:')
const largest = [...stores.values()].at(-1)
const table = (largest?.rows ?? []).map(({ what, microseconds }, i) => {
  const bySize = [...stores].map(([size, { rows }]) => [size, Number(rows[i]?.microseconds.toFixed(1))])
  const goal = goals.find(({ of }) => of.test(what))
  const judged = goal && { goal: `< ${goal.below}`, verdict: verdict(microseconds < goal.below) }
  return [what, { ...Object.fromEntries(bySize), ...judged }]
})
console.table(Object.fromEntries(table))
for (const [size, { bytesPerSnippet, textPerSnippet }] of stores) {
  const ratio = bytesPerSnippet / textPerSnippet
  console.log(
    `${size} snippets: ${bytesPerSnippet.toFixed(0)} bytes each, ${ratio.toFixed(2)} times their text (goal < 1.3: ${verdict(ratio < 1.3)})`,
  )
}

for (const size of sizesFrom(100_000)) {
  progress(`fills a service with ${size} snippets`)
  const { megabytes, seconds, bytesOnlySeconds, grownMegabytes, reads } = await measureStream(size)
  const share = bytesOnlySeconds / seconds
  const ms = (value: number): string => `${value.toFixed(1)} ms`
  progress('')
  console.log(`GET /api/snippets/ with ${size} snippets: ${megabytes.toFixed(0)} MB in ${seconds.toFixed(2)} s`)
  console.log(
    `  the same bytes from one buffer: ${bytesOnlySeconds.toFixed(2)} s; ${share.toFixed(2)} times as fast (goal > 0.5: ${verdict(share > 0.5)})`,
  )
  console.log(`  memory grew by at most ${grownMegabytes.toFixed(0)} MB`)
  console.log(
    `  ${reads.count} reads by another client meanwhile: median ${ms(reads.median)}, slowest ${ms(reads.worst)}`,
  )
}
