import { isUtf8 } from 'node:buffer'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** A complete HTTP response. Header names are in lower case; `interim` holds the 1xx statuses that preceded it. */
export type HttpResponse = Readonly<{
  status: number
  headers: Readonly<Record<string, string>>
  body: Buffer
  text: string
  interim: readonly number[]
}>

/** `received` is the part of the body that arrived before the connection ended early. */
type Attempt = Readonly<{ complete: true; response: HttpResponse }> | Readonly<{ complete: false; received: string }>

export type Connection = Awaited<ReturnType<typeof openConnection>>

/** Shorter than mocha's timeout, whose message would not name the expected bytes. */
const timeoutMs = 15_000

/** Opens a connection that sends bytes unchanged and parses responses strictly. */
export const openConnection = async (base: string) => {
  const { socket, connected } = connectTo(new URL(base))
  const source = byteSource(socket)
  await withTimeout(connected, `a connection to ${base}`)
  /** Returns the next response. `method` is the method of its request: a response to HEAD has no body. */
  const attempt = (method: string): Promise<Attempt> =>
    withTimeout(readResponse(source, method), `the response to ${method}`)
  return {
    attempt,
    response: async (method: string): Promise<HttpResponse> => {
      const result = await attempt(method)
      if (result.complete) return result.response
      throw new Error(`the connection ended during the response to ${method}: ${result.received.slice(0, 200)}`)
    },
    send: (bytes: string | Uint8Array): void => {
      if (socket.writable) socket.write(bytes)
    },
    /** Waits until the server ends the connection, and returns how it ended. Throws if more bytes arrive first. */
    ended: async (): Promise<'closed' | 'reset'> => {
      const rest = await withTimeout(source.rest(), 'the end of the connection')
      if (rest.length > 0) throw new Error(`unexpected bytes before the end: ${rest.toString('latin1', 0, 200)}`)
      return source.end() === 'reset' ? 'reset' : 'closed'
    },
    isOpen: (): boolean => source.end() === 'open',
    /** Returns the number of bytes in this client's send buffer. */
    unsentBytes: (): number => socket.writableLength,
    pause: (): void => void socket.pause(),
    resume: (): void => void socket.resume(),
    /** Resets the connection, so that the server can no longer write. */
    reset: (): void => void socket.resetAndDestroy(),
    destroy: (): void => void socket.destroy(),
  }
}

const connectTo = ({ protocol, hostname, port }: URL): Readonly<{ socket: Socket; connected: Promise<void> }> => {
  const secure = protocol === 'https:'
  // node:net expects an IPv6 address without brackets
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const options = { host, port: Number(port || (secure ? 443 : 80)), noDelay: true }
  const socket = secure ? connectTls({ ...options, servername: host }) : connectTcp(options)
  const connected = new Promise<void>((resolve, reject) => {
    socket.once(secure ? 'secureConnect' : 'connect', resolve).once('error', reject)
  })
  return { socket, connected }
}

type ByteSource = ReturnType<typeof byteSource>

/**
 * Reads a socket by line or by length. When the connection ends early, `take` is short and `line` is undefined. Yields
 * the bytes before a reset too, which a socket's own iterator drops.
 */
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
  const take = async (length: number): Promise<Buffer> => {
    await waitUntil(() => newChunks.reduce((sum, chunk) => sum + chunk.length, bytes.length) >= length)
    const taken = received().subarray(0, length)
    bytes = bytes.subarray(length)
    return taken
  }
  const line = async (): Promise<string | undefined> => {
    await waitUntil(() => received().includes(10))
    const at = bytes.indexOf(10)
    if (at < 0) return undefined
    const text = (await take(at + 1)).toString('latin1')
    if (!text.endsWith('\r\n')) throw new Error(`a line does not end in CR LF: ${text.slice(0, 200)}`)
    return text.slice(0, -2)
  }
  return { line, take, rest: () => take(Number.POSITIVE_INFINITY), end: () => end }
}

const withTimeout = async <A>(promise: Promise<A>, what: string): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${timeoutMs} ms for ${what}`)), timeoutMs)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

type Head = Readonly<{ status: number; headers: Readonly<Record<string, string>> }>

const readResponse = async (source: ByteSource, method: string): Promise<Attempt> => {
  const interim: number[] = []
  for (;;) {
    const head = await readHead(source)
    if (head === undefined) return { complete: false, received: '' }
    const { status, headers } = head
    if (status < 200) {
      interim.push(status)
      continue
    }
    const { complete, body } = await readBody(source, method, head)
    if (!complete) return { complete: false, received: body.toString() }
    if (!isUtf8(body)) throw new Error('a body is not UTF-8')
    return { complete: true, response: { status, headers, body, text: body.toString(), interim } }
  }
}

const statusLine = /^HTTP\/1\.[01] ([1-5][0-9]{2}) [ -~]*$/
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/

const readHead = async (source: ByteSource): Promise<Head | undefined> => {
  const first = await source.line()
  if (first === undefined) return undefined
  const status = statusLine.exec(first)?.[1]
  if (status === undefined) throw new Error(`not a status line: ${first.slice(0, 200)}`)
  const headers: Record<string, string> = {}
  for (;;) {
    const line = await source.line()
    if (line === undefined) return undefined
    if (line === '') return { status: Number(status), headers }
    const [, name, value] = headerLine.exec(line) ?? []
    if (name === undefined || value === undefined) throw new Error(`not a header: ${line.slice(0, 200)}`)
    const key = name.toLowerCase()
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`
  }
}

type Body = Readonly<{ complete: boolean; body: Buffer }>

const readBody = async (source: ByteSource, method: string, { status, headers }: Head): Promise<Body> => {
  if (method === 'HEAD' || status === 204 || status === 304) return { complete: true, body: Buffer.alloc(0) }
  if (headers['transfer-encoding'] === 'chunked') return readChunks(source)
  const length = headers['content-length']
  if (length === undefined) {
    const body = await source.rest()
    return { complete: source.end() === 'closed', body }
  }
  if (!/^[0-9]+$/.test(length)) throw new Error(`not a Content-Length: ${length}`)
  const body = await source.take(Number(length))
  return { complete: body.length === Number(length), body }
}

const readChunks = async (source: ByteSource): Promise<Body> => {
  const chunks: Buffer[] = []
  for (;;) {
    const size = await source.line()
    if (size !== undefined && !/^[0-9a-fA-F]+$/.test(size)) throw new Error(`not a chunk size: ${size.slice(0, 200)}`)
    const length = Number.parseInt(size ?? '0', 16)
    chunks.push(await source.take(length))
    const end = await source.line()
    if (end !== undefined && end !== '') throw new Error('a chunk is longer than its size says')
    if (length === 0 || end === undefined) return { complete: end === '', body: Buffer.concat(chunks) }
  }
}
