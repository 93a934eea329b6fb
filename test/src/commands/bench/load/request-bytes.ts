import type { RequestParts } from '../rows.js'

/** The same for every server, as links repeat it. */
const host = 'Host: bench.test\r\n'

export const requestBytes = ({ method, target, body }: RequestParts, etag?: string): Buffer => {
  const head = `${method} ${target} HTTP/1.1\r\n${host}${etag === undefined ? '' : `If-None-Match: ${etag}\r\n`}`
  if (body === undefined) return Buffer.from(`${head}\r\n`)
  const text = JSON.stringify(body)
  const described = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`
  return Buffer.from(`${head}${described}\r\n${text}`)
}
