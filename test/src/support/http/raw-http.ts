import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A complete HTTP response. Header names are in lower case; `interim` holds the 1xx statuses that preceded it. */
export type HttpResponse = Readonly<{
  status: number
  headers: Readonly<Record<string, string>>
  body: Buffer
  text: string
  interim: readonly number[]
}>

export type Connection = Awaited<ReturnType<typeof openConnection>>

/** Opens a connection that sends bytes unchanged and parses responses strictly. */
export const openConnection = async (base: string) => {
  const { hostname, port } = new URL(base)
  // node:net expects an IPv6 address without brackets
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const socket = connect({ host, port: Number(port || 80), noDelay: true })
  const source = byteSource(socket)
  await once(socket, 'connect')
  return {
    /** Returns the next response. `method` is the method of its request: a response to HEAD has no body. */
    response: (method: string): Promise<HttpResponse> => readResponse(source, method),
    send: (bytes: string | Uint8Array): void => {
      if (socket.writable) socket.write(bytes)
    },
    /** Waits until the server ends the connection, and returns how it ended. Throws if more bytes arrive first. */
    ended: async (): Promise<'closed' | 'reset'> => {
      const rest = await source.take(Number.POSITIVE_INFINITY)
      if (rest.length > 0) throw new Error(`unexpected bytes before the end: ${rest.toString('latin1', 0, 200)}`)
      return source.end() === 'reset' ? 'reset' : 'closed'
    },
    isOpen: (): boolean => source.end() === 'open',
    receivedBytes: (): number => socket.bytesRead,
    /** Returns the number of bytes in this client's send buffer. */
    unsentBytes: (): number => socket.writableLength,
    pause: (): void => void socket.pause(),
    resume: (): void => void socket.resume(),
    /** Resets the connection, so that the server can no longer write. */
    reset: (): void => void socket.resetAndDestroy(),
    /** Closes this client's side. The server can still write. */
    end: (): void => void socket.end(),
    destroy: (): void => void socket.destroy(),
  }
}

/** The connection ended before a response was complete. */
export class ConnectionEnded extends Error {
  /** The part of the body that arrived. */
  received = ''
}

type ByteSource = ReturnType<typeof byteSource>

/** Reads a socket by line or by length. Yields the bytes before a reset too, which a socket's own iterator drops. */
const byteSource = (socket: Socket) => {
  let bytes = Buffer.alloc(0)
  let newChunks: Buffer[] = []
  let end: 'open' | 'closed' | 'reset' = 'open'
  let wake = (): void => {}
  const finish = (how: 'closed' | 'reset') => (): void => {
    if (end === 'open') end = how
    wake()
  }
  socket.on('data', chunk => {
    newChunks.push(chunk)
    wake()
  })
  socket.once('end', finish('closed')).on('error', finish('reset')).once('close', finish('closed'))

  const received = (): Buffer => {
    if (newChunks.length > 0) bytes = Buffer.concat([bytes, ...newChunks])
    newChunks = []
    return bytes
  }
  const waitUntil = async (isEnough: () => boolean): Promise<void> => {
    while (!isEnough() && end === 'open') await new Promise<void>(resolve => (wake = resolve))
  }
  /** Returns this many bytes, or fewer if the connection ends first. */
  const take = async (length: number): Promise<Buffer> => {
    await waitUntil(() => newChunks.reduce((sum, chunk) => sum + chunk.length, bytes.length) >= length)
    const taken = received().subarray(0, length)
    bytes = bytes.subarray(length)
    return taken
  }
  /** Returns the match of the next line. Throws `ConnectionEnded` if the connection ends first. */
  const line = async (pattern: RegExp): Promise<RegExpExecArray> => {
    await waitUntil(() => received().includes('\r\n'))
    const length = bytes.indexOf('\r\n')
    if (length < 0) throw new ConnectionEnded()
    const text = (await take(length + 2)).toString('latin1', 0, length)
    const match = pattern.exec(text)
    if (match === null) throw new Error(`unexpected line: ${text.slice(0, 200)}`)
    return match
  }
  return { line, take, end: () => end }
}

type Head = Pick<HttpResponse, 'status' | 'headers'>

const readResponse = async (source: ByteSource, method: string): Promise<HttpResponse> => {
  const interim: number[] = []
  const pieces: Buffer[] = []
  try {
    let head = await readHead(source)
    for (; head.status < 200; head = await readHead(source)) interim.push(head.status)
    for await (const piece of bodyPieces(source, method, head)) pieces.push(piece)
    const body = Buffer.concat(pieces)
    if (!isUtf8(body)) throw new Error('a body is not UTF-8')
    return { ...head, body, text: body.toString(), interim }
  } catch (error) {
    if (error instanceof ConnectionEnded) error.received = Buffer.concat(pieces).toString()
    throw error
  }
}

const statusLine = /^HTTP\/1\.[01] ([1-5][0-9]{2}) [ -~]*$/
const headerLine = /^(?:([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*)?$/

const readHead = async ({ line }: ByteSource): Promise<Head> => {
  const [, status] = await line(statusLine)
  const headers: Record<string, string> = {}
  for (;;) {
    const [, name, value] = await line(headerLine)
    if (name === undefined || value === undefined) return { status: Number(status), headers }
    const key = name.toLowerCase()
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`
  }
}

/** Yields the pieces of a body. Throws `ConnectionEnded` after the last if the connection ends early. */
async function* bodyPieces({ line, take, end }: ByteSource, method: string, { status, headers }: Head) {
  if (method === 'HEAD' || status === 204 || status === 304) return
  const isChunked = headers['transfer-encoding'] === 'chunked'
  let length = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY)
  do {
    if (isChunked) length = Number.parseInt((await line(/^[0-9a-fA-F]+$/))[0], 16)
    const piece = await take(length)
    yield piece
    if (Number.isFinite(length) ? piece.length < length : end() === 'reset') throw new ConnectionEnded()
    if (isChunked) await line(/^$/)
  } while (isChunked && length > 0)
}
