import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

/** A complete response. The functions below add its length, its date and `Connection: close`. */
type RawResponse = Readonly<{ status: number; headers: Readonly<Record<string, string>>; body: string }>

/** Ends a connection with the response. Returns its bytes: none if an earlier response has ended the connection. */
export const endSocket = (socket: Socket, { status, headers, body }: RawResponse): number => {
  if (!socket.writable) return 0
  const fields = {
    ...headers,
    'Content-Length': Buffer.byteLength(body),
    Date: new Date().toUTCString(),
    Connection: 'close',
  }
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  const response = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`
  socket.end(response)
  return Buffer.byteLength(response)
}

/** Sends the response, and discards a response that the app has prepared. */
export const replaceResponse = (res: ServerResponse, { status, headers, body }: RawResponse): void => {
  for (const name of res.getHeaderNames()) res.removeHeader(name)
  const fields = { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' }
  res.writeHead(status, STATUS_CODES[status], fields).end(body)
}
