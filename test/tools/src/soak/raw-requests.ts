import { type Agent, request } from 'node:http'
import type { Socket } from 'node:net'
import { connectTo } from '@snippets/test/support/attack/run-attack.js'
import { json, requestHead } from '@snippets/test/support/http/wire.js'
import { bodyOf } from '@snippets/test/support/samples.js'

export const urlOf = (port: number, path: string): string => `http://127.0.0.1:${port}${path}`

export const page = (size: number): string => `/api/snippets-viewset/?page_size=${size}`

/** Returns the head of a creation. */
export const posting = (...lines: readonly string[]): string => requestHead('POST', '/api/snippets/', json, ...lines)

export const open = (port: number): Promise<Socket> =>
  new Promise(resolve => {
    const socket = connectTo(port)
    socket.once('connect', () => resolve(socket)).once('close', () => resolve(socket))
  })

/** Waits for the first bytes of the response. Returns its status, or 0 without a response, and the time. */
export const firstBytesOf = (socket: Socket): Promise<Readonly<{ status: number; ms: number }>> =>
  new Promise(resolve => {
    const begun = performance.now()
    const finish = (head: string): void => {
      clearTimeout(late)
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), ms: performance.now() - begun })
    }
    const late = setTimeout(() => finish(''), 10_000)
    if (socket.destroyed) finish('')
    socket.once('data', chunk => finish(chunk.toString('latin1'))).once('close', () => finish(''))
  })

/** Sends bytes on a new connection, and waits for the first bytes of the response. */
export const send = async (port: number, bytes: string): ReturnType<typeof firstBytesOf> => {
  const socket = await open(port)
  socket.write(bytes)
  return firstBytesOf(socket).finally(() => socket.destroy())
}

/** Returns nearly as many header lines as a request may have. */
export const manyFields = (length: number): string =>
  Array.from({ length: 95 }, (_, i) => `h${i}: ${'x'.repeat(length)}`).join('\r\n')

/** A code with six bytes of JSON per character. */
export const heaviestCode = '\u0001'.repeat(10_000)

type Ask = Readonly<{ port: number; agent: Agent; isCreation: boolean; id?: string; onSent?: () => void }>

export type Outcome = 'answered' | 'rejected' | 'cut' | 'unanswered' | 'refused'

/** Creates a snippet or reads a page like an ordinary client. `cut` is an incomplete response. */
export const ask = ({ port, agent, isCreation, id = 'soak', onSent = () => {} }: Ask): Promise<Outcome> =>
  new Promise(resolve => {
    const [method, path] = isCreation ? ['POST', '/api/snippets/'] : ['GET', page(10)]
    const headers = { 'X-Request-Id': id, ...(isCreation && { 'Content-Type': 'application/json' }) }
    request({ agent, port, host: '127.0.0.1', path, headers, method }, response => {
      response.resume().once('end', () => resolve((response.statusCode ?? 0) < 300 ? 'answered' : 'rejected'))
      response.once('error', () => resolve('cut'))
    })
      .once('error', error => resolve('code' in error && error.code === 'ECONNREFUSED' ? 'refused' : 'unanswered'))
      .once('finish', onSent)
      .end(isCreation ? JSON.stringify(bodyOf({ title: id, code: 'c', language: 'l' })) : '')
  })
