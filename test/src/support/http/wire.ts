import type { Observation, Observe } from '@snippets/adapters-http/middleware/create-app.js'
import { eventually } from '../eventually.js'
import { bodyOf } from '../samples.js'

/** Requests as bytes, for connections that send many requests at once. */
export const get = (target: string, ...lines: readonly string[]): string => requestHead('GET', target, ...lines)

export const requestHead = (method: string, target: string, ...lines: readonly string[]): string =>
  `${[`${method} ${target} HTTP/1.1`, 'Host: localhost', ...lines].join('\r\n')}\r\n\r\n`

export const json = 'Content-Type: application/json'
export const chunked = 'Transfer-Encoding: chunked'

export const snippetText = JSON.stringify(bodyOf({ title: 't', code: 'c', language: 'l' }))

export const post = (target: string, body = snippetText, ...lines: readonly string[]): string =>
  requestHead('POST', target, json, `Content-Length: ${Buffer.byteLength(body)}`, ...lines) + body

export const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

export const lastChunk = '0\r\n\r\n'

/** Creates an observer that records observations and waits for a number of them. */
export const observer = () => {
  const seen: Observation[] = []
  const observe: Observe = observation => void seen.push(observation)
  return {
    observe,
    seen,
    first: async (count: number): Promise<readonly Observation[]> => {
      await eventually(() => seen.length >= count)
      return seen
    },
  }
}
