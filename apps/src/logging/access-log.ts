import type { Observation, Observe } from '@snippets/adapters-http/koa/observation.js'

export const accessLogModes = ['all', 'sampled', 'off'] as const

export type AccessLogMode = (typeof accessLogModes)[number]

type WriteLine = (json: string) => void

const oneOf = 100
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
        if (isNotable(observation) || others++ % oneOf === 0) line(observation)
      }
    }
    case 'off':
      return undefined
  }
}

const isNotable = ({ status, seconds, clientLeft }: Observation): boolean =>
  clientLeft || seconds >= slowSeconds || status === undefined || status >= 500

/** The line that pino would write of these fields, in a tenth of the time: 0.4 instead of 4 µs, where a detail takes 20. */
const lineOf = (observation: Observation): string => {
  const { requestId, traceId, token, method, route, status, bytes, clientLeft, seconds } = observation
  const start = `{"level":30,"time":${Date.now()},"pid":${process.pid},"requestId":"${requestId}"`
  const trace = traceId === undefined ? '' : `,"traceId":"${traceId}"`
  const name = token === undefined ? '' : `,"token":${JSON.stringify(token)}`
  const what = `,"method":"${method}","route":${JSON.stringify(route)}`
  const outcome = status === undefined ? '' : `,"status":${status}`
  const ms = Math.round(seconds * 10_000) / 10
  return `${start}${trace}${name}${what}${outcome},"bytes":${bytes},"clientLeft":${clientLeft},"ms":${ms},"msg":"request"}\n`
}
