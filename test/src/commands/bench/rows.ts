import autocannon from 'autocannon'
import type { MeasuredProcess } from '../measuring/measured-process.js'

type Ask = Readonly<{ method: 'GET' | 'POST' | 'PATCH'; path: string; body?: string }>

/** `request` makes number 0, 1, ... of all requests to a server. */
export type Row = Readonly<{ name: string; request: (serial: number) => Ask }>

export const snippets = 10_000
const languages = ['c', 'go', 'java', 'javascript', 'python', 'ruby', 'rust', 'typescript']
export const languageOf = (serial: number): string => languages[serial % languages.length] ?? ''
/** Spread over the collection. */
export const idOf = (serial: number): number => 1 + ((serial * 7919) % snippets)

/** Every server is given the same ones, so that it assigns the same ids. */
export const contentOf = (serial: number, language = languageOf(serial)) => ({
  title: `Snippet ${serial}`,
  code: Array.from({ length: 8 }, (_, line) => `  const value${line} = compute(${serial * 8 + line})`).join('\n'),
  language,
})

const posting = (serial: number, language?: string): Ask => ({
  method: 'POST',
  path: '/api/snippets/',
  body: JSON.stringify(contentOf(serial, language)),
})

export const rows: readonly Row[] = [
  { name: 'detail', request: serial => ({ method: 'GET', path: `/api/snippets/${idOf(serial)}/` }) },
  {
    name: 'page',
    request: serial => ({
      method: 'GET',
      path: `/api/snippets-viewset/?language=${languageOf(serial)}&ordering=-created_at&page=${1 + (serial % 100)}`,
    }),
  },
  // of a language that no page asks for
  { name: 'create', request: serial => posting(serial, 'new') },
]

/** Not for the other servers, which would do the same as for a creation. */
export const patch: Row = {
  name: 'patch',
  request: serial => {
    const body = JSON.stringify({ title: `Patched ${serial}` })
    return { method: 'PATCH', path: `/api/snippets-viewset/${idOf(serial)}/`, body }
  },
}

type Load = Readonly<{ request: Row['request']; amount: number; from?: number; connections?: number }>

/** Sends the requests and returns the processor time that the server took for each, in microseconds. */
export const measure = async ({ port, usage }: MeasuredProcess, load: Load): Promise<number> => {
  const { request, amount, from = 0, connections = 64 } = load
  let serial = from
  const before = await usage()
  const { non2xx, errors } = await autocannon({
    url: `http://127.0.0.1:${port}`,
    amount,
    connections,
    headers: { 'Content-Type': 'application/json' },
    requests: [{ setupRequest: asked => ({ ...asked, ...request(serial++) }) }],
  })
  if (non2xx + errors > 0) throw new Error(`${non2xx} requests were refused and ${errors} failed`)
  return ((await usage()).cpuMicroseconds - before.cpuMicroseconds) / amount
}

/** One after the other, so that every server assigns the same ids. */
export const fill = (server: MeasuredProcess): Promise<number> =>
  measure(server, { amount: snippets, connections: 1, request: serial => posting(serial) })
