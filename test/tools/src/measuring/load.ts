import { bodyOf } from '@snippets/test/support/samples.js'
import autocannon from 'autocannon'

export type LoadRequest = Readonly<{ method: 'GET' | 'POST'; path: string; body?: string }>

export type Load = Readonly<{
  request: (serial: number) => LoadRequest
  amount: number
  from?: number
  connections?: number
}>

/** Sends the requests, and throws if one is rejected. */
export const send = async (port: number, { request, amount, from = 0, connections = 64 }: Load): Promise<void> => {
  let serial = from
  const { non2xx, errors } = await autocannon({
    url: `http://127.0.0.1:${port}`,
    amount,
    connections,
    headers: { 'Content-Type': 'application/json' },
    requests: [{ setupRequest: defaults => ({ ...defaults, ...request(serial++) }) }],
  })
  if (non2xx + errors > 0) throw new Error(`${non2xx} requests were rejected and ${errors} failed`)
}

const languages = ['c', 'go', 'java', 'javascript', 'python', 'ruby', 'rust', 'typescript']
export const languageOf = (serial: number): string => languages[serial % languages.length] ?? ''

/** Every server gets the same snippets. */
export const contentOf = (serial: number, code = codeOf(serial)) =>
  bodyOf({ title: `Snippet ${serial}`, code, language: languageOf(serial) })

const codeOf = (serial: number): string =>
  Array.from({ length: 8 }, (_, line) => `  const value${line} = compute(${serial * 8 + line})`).join('\n')

export const code500 = '  return value + 123456;\n'.repeat(20)

export const creation = (content: unknown): LoadRequest => ({
  method: 'POST',
  path: '/api/snippets/',
  body: JSON.stringify(content),
})

/** Creates snippets, by default on one connection, so that every server assigns the same ids. */
export const fill = (port: number, amount: number, code?: string, connections = 1): Promise<void> =>
  send(port, { amount, connections, request: serial => creation(contentOf(serial, code)) })
