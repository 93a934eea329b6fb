export type ResponseReader = Readonly<{
  /** What follows the response, once it is complete; undefined before. */
  add: (chunk: Buffer) => Buffer | undefined
  answer: () => Readonly<{ status: number; text: string; closes: boolean; etag: string }>
}>

/** Longer bodies are counted but not kept. */
const keptBytes = 65_536

const headEnd = Buffer.from('\r\n\r\n')

/** Reads the response to a request other than HEAD. Nothing may follow a chunked one. Far cheaper than node:http, so that the service is the slower side. */
export const createReader = (): ResponseReader => {
  let head: string | undefined
  let kept: Buffer = Buffer.alloc(0)
  let missing = 0
  let isChunked = false
  let last = ''
  const readHead = (): Buffer => {
    const at = kept.indexOf(headEnd)
    if (at < 0) return Buffer.alloc(0)
    head = kept.toString('latin1', 0, at)
    isChunked = /^transfer-encoding: *chunked/im.test(head)
    missing = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
    const body = kept.subarray(at + headEnd.length)
    kept = Buffer.alloc(0)
    return body
  }
  const readBody = (bytes: Buffer): Buffer | undefined => {
    if (kept.length + bytes.length <= keptBytes) kept = kept.length === 0 ? bytes : Buffer.concat([kept, bytes])
    missing -= bytes.length
    if (!isChunked) return missing <= 0 ? bytes.subarray(bytes.length + missing) : undefined
    // JSON has no line breaks within its texts, so this ends nothing but the body
    last = (last + bytes.toString('latin1', Math.max(0, bytes.length - 7))).slice(-7)
    return last === '\r\n0\r\n\r\n' ? Buffer.alloc(0) : undefined
  }
  return {
    add: chunk => {
      if (head !== undefined) return readBody(chunk)
      kept = kept.length === 0 ? chunk : Buffer.concat([kept, chunk])
      const body = readHead()
      return head === undefined ? undefined : readBody(body)
    },
    answer: () => ({
      status: Number(head?.slice(9, 12)),
      text: kept.toString(),
      closes: /^connection: *close/im.test(head ?? ''),
      etag: /^etag: *(.*)$/im.exec(head ?? '')?.[1] ?? '',
    }),
  }
}
