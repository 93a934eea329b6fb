import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The reasons why the server ends a connection. A `Rejecter` knows the response to each. */
export type EndReason =
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

/** Sends the responses to requests that the app does not see, or not completely, and reports them. */
export type Rejecter = Readonly<{
  /** Returns a function that sends the last response of a connection. `req` is the newest request, if it has a head. */
  lastResponse: (reason: EndReason, req?: IncomingMessage) => (socket: Socket) => void
  /** Responds to a request for the app, which may have prepared another response. */
  respondInstead: (reason: EndReason, res: ServerResponse) => void
}>

const reasons: Readonly<Record<string, EndReason>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'late request',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'long chunk extensions',
  HPE_HEADER_OVERFLOW: 'long head',
  HPE_INVALID_METHOD: 'unknown method',
  HPE_INVALID_URL: 'malformed target',
}

/** Returns the reason for an error of Node's parser, or none if the connection failed. */
export const reasonOfParserError = ({ code = '' }: NodeJS.ErrnoException): EndReason | undefined =>
  reasons[code] ?? (code.startsWith('HPE_') ? 'malformed request' : undefined)
