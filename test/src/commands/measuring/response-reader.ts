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
  let addToBody: ReturnType<typeof bodyReader> = () => undefined
  const add = (bytes: Buffer): Buffer | undefined => {
    if (head !== undefined) {
      if (kept.length + bytes.length <= keptBytes) kept = joined(kept, bytes)
      return addToBody(bytes)
    }
    kept = joined(kept, bytes)
    const at = kept.indexOf(headEnd)
    if (at < 0) return undefined
    head = kept.toString('latin1', 0, at)
    addToBody = bodyReader(head)
    const body = kept.subarray(at + headEnd.length)
    kept = Buffer.alloc(0)
    return add(body)
  }
  const answer: ResponseReader['answer'] = () => ({
    status: Number(head?.slice(9, 12)),
    text: kept.toString(),
    closes: /^connection: *close/im.test(head ?? ''),
    etag: /^etag: *(.*)$/im.exec(head ?? '')?.[1] ?? '',
  })
  return { add, answer }
}

const joined = (before: Buffer, bytes: Buffer): Buffer => (before.length === 0 ? bytes : Buffer.concat([before, bytes]))

/** Returns what follows the body, once it is complete. */
const bodyReader = (head: string): ((bytes: Buffer) => Buffer | undefined) => {
  if (/^transfer-encoding: *chunked/im.test(head)) return chunkedReader()
  let missing = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
  return bytes => {
    missing -= bytes.length
    return missing <= 0 ? bytes.subarray(bytes.length + missing) : undefined
  }
}

const chunkedReader = () => {
  let last = ''
  return (bytes: Buffer): Buffer | undefined => {
    // JSON has no line breaks within its texts, so this ends nothing but the body
    last = (last + bytes.toString('latin1', Math.max(0, bytes.length - 7))).slice(-7)
    return last === '\r\n0\r\n\r\n' ? Buffer.alloc(0) : undefined
  }
}
