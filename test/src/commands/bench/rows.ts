import { contentOf, creation, type Load, languageOf, send } from '../measuring/load.js'
import type { MeasuredProcess } from '../measuring/measured-process.js'

export type BenchRow = Readonly<{ name: string; request: Load['request'] }>

export const snippets = 10_000
/** Ids that are spread over the collection. */
const idOf = (serial: number): number => 1 + ((serial * 7919) % snippets)

const pagePath = (serial: number): string =>
  `/api/snippets-viewset/?language=${languageOf(serial)}&ordering=-created_at&page=${1 + (serial % 100)}`

export const rows: readonly BenchRow[] = [
  { name: 'detail', request: serial => ({ method: 'GET', path: `/api/snippets/${idOf(serial)}/` }) },
  { name: 'page', request: serial => ({ method: 'GET', path: pagePath(serial) }) },
  // no page filters by this language
  { name: 'create', request: serial => creation({ ...contentOf(serial), language: 'new' }) },
]

/** Sends the requests and returns the processor time of the server per request, in microseconds. */
export const measure = async ({ port, usage }: MeasuredProcess, load: Load): Promise<number> => {
  const before = await usage()
  await send(port, load)
  return ((await usage()).cpuMicroseconds - before.cpuMicroseconds) / load.amount
}
