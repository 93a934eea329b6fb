const list = '/api/snippets/'
const pages = '/api/snippets-viewset/'

const withBody = (method: string, target: string, body: string, lines = ''): string =>
  `${method} ${target} HTTP/1.1\r\nHost: soak\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${lines}\r\n${body}`

export const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: soak\r\n\r\n`
export const getPage = (size: number): string => get(`${pages}?page_size=${size}`)
export const getAll = get(list)
export const post = (code: string, language: string): string =>
  withBody('POST', list, JSON.stringify({ title: 'soak', code, language }))
export const patch = (id: string, etag: string): string =>
  withBody('PATCH', `${pages}${id}/`, JSON.stringify({ title: 'soak again' }), `If-Match: ${etag}\r\n`)
export const remove = (id: string): string => `DELETE ${list}${id}/ HTTP/1.1\r\nHost: soak\r\n\r\n`

export const idIn = (text: string): string => /"id":(\d+)/.exec(text)?.[1] ?? ''

/** The most that a snippet can weigh in JSON: every character is escaped to six bytes. A page of 100 is 6 MB. */
export const heaviestCode = '\u0001'.repeat(10_000)
