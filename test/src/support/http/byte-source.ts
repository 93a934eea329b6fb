import type { Socket } from 'node:net'

export type ByteSource = ReturnType<typeof byteSource>

/**
 * Reads a socket by line or by length. When the connection ends early, `take` is short and `line` is undefined. Yields
 * the bytes before a reset too, which a socket's own iterator drops.
 */
export const byteSource = (socket: Socket) => {
  const chunks: Buffer[] = []
  let end: 'open' | 'closed' | 'reset' = 'open'
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

  /** Returns the next bytes, or undefined after the end of the connection. */
  const next = async (): Promise<Buffer | undefined> => {
    while (chunks.length === 0 && end === 'open') await new Promise<void>(resolve => (wake = resolve))
    return chunks.shift()
  }
  const take = async (length: number): Promise<Buffer> => {
    const taken: Buffer[] = []
    let missing = length
    while (missing > 0) {
      const chunk = await next()
      if (chunk === undefined) break
      taken.push(chunk.subarray(0, missing))
      if (chunk.length > missing) chunks.unshift(chunk.subarray(missing))
      missing -= Math.min(missing, chunk.length)
    }
    const [first] = taken
    return taken.length === 1 && first ? first : Buffer.concat(taken)
  }
  const line = async (): Promise<string | undefined> => {
    let text = ''
    for (;;) {
      const chunk = await next()
      if (chunk === undefined) return undefined
      const at = chunk.indexOf(10)
      text += chunk.toString('latin1', 0, at < 0 ? undefined : at)
      if (at < 0) continue
      if (at + 1 < chunk.length) chunks.unshift(chunk.subarray(at + 1))
      if (!text.endsWith('\r')) throw new Error(`a line does not end in CR LF: ${text.slice(0, 200)}`)
      return text.slice(0, -1)
    }
  }
  return { line, take, rest: () => take(Number.POSITIVE_INFINITY), end: () => end }
}
