import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

/** The reasons to reject a connection or a request. A `Rejecter` has the problem of each. */
export type Rejection =
  | 'too many connections'
  | 'too many queued requests'
  | 'too many chunks'
  | 'long chunk extensions'
  | 'long head'
  | 'late request'
  | 'malformed target'
  | 'unknown method'
  | 'malformed request'
  | 'CONNECT'

/** Sends responses in place of the app. Reports those of `lastResponse`, as the app does not see their requests. */
export type Rejecter = Readonly<{
  /** Returns a function that sends the last response of a connection. `req` is its newest request with a head. */
  lastResponse: (rejection: Rejection, req?: IncomingMessage) => (socket: Socket) => void
  /** Responds to a request whose handler waits for the rest of its body. */
  respondInstead: (rejection: Rejection, res: ServerResponse) => void
}>

const rejectionByCode: Readonly<Record<string, Rejection>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'late request',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'long chunk extensions',
  HPE_HEADER_OVERFLOW: 'long head',
  HPE_INVALID_METHOD: 'unknown method',
  HPE_INVALID_URL: 'malformed target',
}

/** Returns the rejection for an error of Node's parser, or none if the connection failed. */
export const rejectionOf = ({ code = '' }: NodeJS.ErrnoException): Rejection | undefined =>
  rejectionByCode[code] ?? (code.startsWith('HPE_') ? 'malformed request' : undefined)

/**
 * Closes a connection at once. After an ordinary close, the kernel would keep the bytes of an unread response for as
 * long as the client likes. A reset frees them; the response is truncated in either case.
 */
export const closeSocket = (socket: Socket): void => {
  if (socket.writableLength > 0) socket.resetAndDestroy()
  else socket.destroy()
}

/** A response to send without the app. `endSocket` adds its length, its date and `Connection: close`. */
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
