import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../support/workspace-root.js'

const begin = '<!-- written by npm run bench -->'
const end = '<!-- end -->'

/** The text with what stands between the two marks replaced. */
export const between = (text: string, tables: string): string => {
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error(`the page has no ${begin} before an ${end}`)
  return `${text.slice(0, from + begin.length)}\n\n${tables}\n\n${text.slice(to)}`
}

/** Replaces the tables of docs/benchmark.md and the chart that the README shows. */
export const writeResults = (tables: string, chart: string): void => {
  const page = join(root, 'docs/benchmark.md')
  writeFileSync(page, between(readFileSync(page, 'utf8'), tables))
  writeFileSync(join(root, 'docs/bench.svg'), chart)
}
