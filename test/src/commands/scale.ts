import { measureStore } from './scale/measure-store.js'
import { measureStream } from './scale/measure-stream.js'

/** `npm run scale` measures a million snippets in memory; `npm run scale -- 10000` measures fewer. */
const rows = Number(process.argv[2] ?? 1_000_000)

const { megabytes, seconds, grownMegabytes, reads } = await measureStream(rows)
const ms = (value: number): string => `${value.toFixed(1)} ms`
console.log(`GET /api/snippets/ with ${rows} snippets: ${megabytes.toFixed(0)} MB in ${seconds.toFixed(1)} s`)
console.log(`  memory grew by at most ${grownMegabytes.toFixed(0)} MB`)
console.log(
  `  ${reads.count} reads by another client meanwhile: median ${ms(reads.median)}, slowest ${ms(reads.worst)}`,
)

console.log(`The store alone with ${rows} snippets, microseconds per operation:`)
const measured = await measureStore(rows)
console.table(
  Object.fromEntries(
    measured.map(({ what, depth, size, median, worst }) => [
      `${what}, ${depth}, ${size}`,
      { median: Number(median.toFixed(1)), 'worst round': Number(worst.toFixed(1)) },
    ]),
  ),
)
