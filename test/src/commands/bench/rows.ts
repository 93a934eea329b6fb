import { bodyOf } from '../../support/samples.js'
import { creation, type Load, type LoadRequest, languageOf, send } from '../measuring/load.js'
import type { MeasuredProcess } from '../measuring/measured-process.js'

export type Row = Readonly<{ name: string; request: Load['request'] }>

export const snippets = 10_000
/** Ids that are spread over the collection. */
export const idOf = (serial: number): number => 1 + ((serial * 7919) % snippets)

/** Every server gets the same snippets, so that it assigns the same ids. */
export const contentOf = (serial: number, language = languageOf(serial)) =>
  bodyOf({
    title: `Snippet ${serial}`,
    code: Array.from({ length: 8 }, (_, line) => `  const value${line} = compute(${serial * 8 + line})`).join('\n'),
    language,
  })

const pagePath = (serial: number): string =>
  `/api/snippets-viewset/?language=${languageOf(serial)}&ordering=-created_at&page=${1 + (serial % 100)}`

export const rows: readonly Row[] = [
  { name: 'detail', request: serial => ({ method: 'GET', path: `/api/snippets/${idOf(serial)}/` }) },
  { name: 'page', request: serial => ({ method: 'GET', path: pagePath(serial) }) },
  // no page filters by this language
  { name: 'create', request: serial => creation(contentOf(serial, 'new')) },
]

/** Updates are not measured on the other servers, because their update costs the same as their creation. */
export const patch: Row = {
  name: 'patch',
  request: (serial): LoadRequest => {
    const body = JSON.stringify({ title: `Patched ${serial}` })
    return { method: 'PATCH', path: `/api/snippets-viewset/${idOf(serial)}/`, body }
  },
}

/** Sends the requests and returns the processor time of the server per request, in microseconds. */
export const measure = async ({ port, usage }: MeasuredProcess, load: Load): Promise<number> => {
  const before = await usage()
  await send(port, load)
  return ((await usage()).cpuMicroseconds - before.cpuMicroseconds) / load.amount
}

/** Creates the snippets, on one connection by default, so that every server assigns the same ids. */
export const fill = ({ port }: Pick<MeasuredProcess, 'port'>, connections = 1, amount = snippets): Promise<void> =>
  send(port, { amount, connections, request: serial => creation(contentOf(serial)) })
