import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { searches, sizes } from './bench/memory.js'
import { latency, speed } from './bench/peers.js'
import { readOrExplain, wholeNumber } from './command.js'
import { arePinned, pinLoad } from './measuring/measured-process.js'

/** The tables of docs/figures.md, except those of the soak. */
const tables: Readonly<Record<string, (rounds: number) => Promise<string>>> = { speed, latency, searches, sizes }

const usage = `Usage: npm run bench -- [${Object.keys(tables).join('|')}] [--rounds 9]`
const options = { rounds: { type: 'string', default: '9' } } as const
const { measure, rounds } = readOrExplain(usage, () => {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const name = positionals.join(' ') || 'speed'
  const measure = Object.hasOwn(tables, name) ? tables[name] : undefined
  if (measure === undefined) throw new Error(`There is no table ${name}.`)
  return { measure, rounds: wholeNumber('--rounds', values.rounds) }
})

pinLoad()
const measured = await measure(rounds)
const pinned = arePinned ? 'pinned to a core each' : 'not pinned'
const processor = cpus()[0]?.model ?? 'unknown processor'
console.log(`Node.js ${process.versions.node}, ${processor}, server and load ${pinned}.\n\n${measured}`)
process.exit()
