import { ofLatest } from '@snippets/adapters-http/answer/of-latest.js'
import type { Observation, Observe } from '@snippets/adapters-http/koa/observation.js'
import { remembering } from '@snippets/adapters-http/request/remembering.js'

export const accessLogModes = ['all', 'sampled', 'off'] as const

export type AccessLogMode = (typeof accessLogModes)[number]

type WriteLine = (json: string) => void

const sampleEvery = 100
const slowSeconds = 1

/** One line per request. Sampled: every failed, slow or unfinished one, and one of a hundred others. */
export const accessLog = (mode: AccessLogMode, writeLine: WriteLine): Observe | undefined => {
  const line = (observation: Observation): void => writeLine(lineOf(observation))
  switch (mode) {
    case 'all':
      return line
    case 'sampled': {
      let others = 0
      return observation => {
        if (isNotable(observation) || others++ % sampleEvery === 0) line(observation)
      }
    }
    case 'off':
      return undefined
  }
}

const isNotable = ({ status, seconds, clientLeft }: Observation): boolean =>
  clientLeft || seconds >= slowSeconds || status === undefined || status >= 500

/** Written by hand: `logLine` takes ten times as long. */
const lineOf = (observation: Observation): string => {
  const { requestId, traceId, token, method, route, status, bytes, clientLeft, seconds } = observation
  const start = `${startAt(Date.now())}"${requestId}"`
  const trace = traceId === undefined ? '' : `,"traceId":"${traceId}"`
  const name = token === undefined ? '' : `,"token":${JSON.stringify(token)}`
  const what = `,"method":"${method}","route":${quotedRoute(route)}`
  const outcome = status === undefined ? '' : `,"status":${status}`
  const ms = Math.round(seconds * 10_000) / 10
  return `${start}${trace}${name}${what}${outcome},"bytes":${bytes},"clientLeft":${clientLeft},"ms":${ms},"msg":"request"}\n`
}

/** The lines of a millisecond begin alike. */
const startAt = ofLatest((time: number) => `{"level":30,"time":${time},"pid":${process.pid},"requestId":`)

/** There are few. */
const quotedRoute = remembering((route: string) => JSON.stringify(route))
