import type { Socket } from 'node:net'

/** Reads a socket by line or by length. When the connection ends early, `take` is short and `line` is undefined. */
export type ByteSource = Readonly<{
  line: () => Promise<string | undefined>
  take: (length: number) => Promise<Buffer>
  rest: () => Promise<Buffer>
  end: () => 'open' | 'closed' | 'reset'
}>

export const byteSource = (socket: Socket): ByteSource => {
  const received = receive(socket)
  return {
    line: () => readLine(received),
    take: length => readBytes(received, length),
    rest: () => readBytes(received, Number.POSITIVE_INFINITY),
    end: received.end,
  }
}

type Received = Readonly<{
  /** The next bytes, or undefined after the end of the connection. */
  next: () => Promise<Buffer | undefined>
  putBack: (unread: Buffer) => void
  end: ByteSource['end']
}>

/** Yields the bytes before a reset too, which a socket's own iterator drops. */
const receive = (socket: Socket): Received => {
  const chunks: Buffer[] = []
  let end: ReturnType<ByteSource['end']> = 'open'
  let wake = (): void => {}
  const finish = (how: 'closed' | 'reset'): void => {
    if (end === 'open') end = how
    wake()
  }
  socket.on('data', chunk => {
    chunks.push(chunk)
    wake()
  })
  socket.once('end', () => finish('closed'))
  socket.on('error', () => finish('reset'))
  socket.once('close', () => finish('closed'))
  return {
    next: async () => {
      while (chunks.length === 0 && end === 'open') await new Promise<void>(resolve => (wake = resolve))
      return chunks.shift()
    },
    putBack: unread => void chunks.unshift(unread),
    end: () => end,
  }
}

const readBytes = async ({ next, putBack }: Received, length: number): Promise<Buffer> => {
  const taken: Buffer[] = []
  let missing = length
  while (missing > 0) {
    const chunk = await next()
    if (chunk === undefined) break
    taken.push(chunk.subarray(0, missing))
    if (chunk.length > missing) putBack(chunk.subarray(missing))
    missing -= Math.min(missing, chunk.length)
  }
  return Buffer.concat(taken)
}

const readLine = async ({ next, putBack }: Received): Promise<string | undefined> => {
  let text = ''
  for (;;) {
    const chunk = await next()
    if (chunk === undefined) return undefined
    const at = chunk.indexOf(10)
    text += chunk.toString('latin1', 0, at < 0 ? undefined : at)
    if (at < 0) continue
    if (at + 1 < chunk.length) putBack(chunk.subarray(at + 1))
    if (!text.endsWith('\r')) throw new Error(`a line does not end in CR LF: ${text.slice(0, 200)}`)
    return text.slice(0, -1)
  }
}
