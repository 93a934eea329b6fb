import autocannon from 'autocannon'

type LoadRequest = Readonly<{ method: 'GET' | 'POST'; path: string; body?: string }>

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

export const creation = (content: unknown): LoadRequest => ({
  method: 'POST',
  path: '/api/snippets/',
  body: JSON.stringify(content),
})
