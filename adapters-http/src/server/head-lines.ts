import { type OutgoingHttpHeaders, STATUS_CODES } from 'node:http'

/** The fields of a head as they go over the wire. Undefined if a value is not allowed in one, or is not plain ASCII. */
export const headLines = (headers: OutgoingHttpHeaders): string | undefined => {
  let lines = ''
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined) continue
    if (typeof value === 'object' || (typeof value === 'string' && notInHeader.test(value))) return undefined
    lines += `${name}: ${value}\r\n`
  }
  return lines
}

/** Node also allows Latin-1, whose bytes would depend on the encoding of the body. */
const notInHeader = /[^\t\x20-\x7e]/

export const statusLine = (status: number): string => {
  const known = statusLines.get(status)
  if (known !== undefined) return known
  const made = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  statusLines.set(status, made)
  return made
}

const statusLines = new Map<number, string>()

/** What a head says of a connection that stays open. */
export const keepAliveLines = (idleMs: number): string =>
  `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(idleMs / 1000)}\r\n`

/** For the Date header. Made once a second. */
export const httpDate = (): string => {
  const now = Math.floor(Date.now() / 1000)
  if (now !== second) {
    second = now
    text = new Date(now * 1000).toUTCString()
  }
  return text
}

let second = 0
let text = ''
