export type ResponseScan = Readonly<{
  /** Takes bytes that have arrived. The status, once the response is complete; 0 before. */
  add: (bytes: Buffer, length: number) => number
}>

const headEnd = '\r\n\r\n'
const chunksEnd = '0\r\n\r\n'

/**
 * Finds the end of one response after another, and looks at no more of them than that takes. It is part of the load, which
 * must be cheaper than any server.
 */
export const createScan = (): ResponseScan => {
  let status = 0
  let missing = 0
  let isChunked = false
  let tail = ''
  const readHead = (text: string, end: number): void => {
    status = Number(text.slice(9, 12))
    const head = text.slice(0, end)
    const length = /content-length: *(\d+)/i.exec(head)?.[1]
    missing = status === 304 ? 0 : Number(length ?? 0)
    isChunked = length === undefined && /transfer-encoding: *chunked/i.test(head)
  }
  const ended = (): number => {
    const complete = status
    status = 0
    tail = ''
    return complete
  }
  const add: ResponseScan['add'] = (bytes, length) => {
    if (status !== 0) {
      if (isChunked) tail = (tail + bytes.toString('latin1', Math.max(0, length - 5), length)).slice(-5)
      missing -= length
    } else {
      const text = tail + bytes.toString('latin1', 0, length)
      const end = text.indexOf(headEnd)
      if (end < 0) {
        tail = text
        return 0
      }
      readHead(text, end)
      missing -= text.length - end - headEnd.length
      tail = text.slice(-5)
    }
    return (isChunked ? tail === chunksEnd : missing <= 0) ? ended() : 0
  }
  return { add }
}
