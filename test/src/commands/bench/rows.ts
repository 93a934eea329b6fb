import { bodyOf } from '../../support/samples.js'
import { creation, type Load, languageOf, send } from '../measuring/load.js'
import type { MeasuredProcess } from '../measuring/measured-process.js'

export type BenchRow = Readonly<{ name: string; request: Load['request'] }>

export const snippets = 10_000
/** Ids that are spread over the collection. */
const idOf = (serial: number): number => 1 + ((serial * 7919) % snippets)

/** Every server gets the same snippets, so that it assigns the same ids. */
const contentOf = (serial: number, language = languageOf(serial)) =>
  bodyOf({
    title: `Snippet ${serial}`,
    code: Array.from({ length: 8 }, (_, line) => `  const value${line} = compute(${serial * 8 + line})`).join('\n'),
    language,
  })

const pagePath = (serial: number): string =>
  `/api/snippets-viewset/?language=${languageOf(serial)}&ordering=-created_at&page=${1 + (serial % 100)}`

export const rows: readonly BenchRow[] = [
  { name: 'detail', request: serial => ({ method: 'GET', path: `/api/snippets/${idOf(serial)}/` }) },
  { name: 'page', request: serial => ({ method: 'GET', path: pagePath(serial) }) },
  // no page filters by this language
  { name: 'create', request: serial => creation(contentOf(serial, 'new')) },
]

/** Sends the requests and returns the processor time of the server per request, in microseconds. */
export const measure = async ({ port, usage }: MeasuredProcess, load: Load): Promise<number> => {
  const before = await usage()
  await send(port, load)
  return ((await usage()).cpuMicroseconds - before.cpuMicroseconds) / load.amount
}

/** Creates the snippets on one connection, so that every server assigns the same ids. */
export const fill = ({ port }: MeasuredProcess): Promise<void> =>
  send(port, { amount: snippets, connections: 1, request: serial => creation(contentOf(serial)) })
