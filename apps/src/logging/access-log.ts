import type { Observation, Observe } from '@snippets/adapters-http/koa/observation.js'

export const accessLogModes = ['all', 'sampled', 'off'] as const

export type AccessLogMode = (typeof accessLogModes)[number]

type Log = Readonly<{ info: (fields: object, message: string) => void }>

const oneOf = 100
const slowSeconds = 1

/** One line per request. Sampled: every failed, slow or unfinished one, and one of a hundred others. */
export const accessLog = (mode: AccessLogMode, log: Log): Observe | undefined => {
  const line = (observation: Observation): void => log.info(fieldsOf(observation), 'request')
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

/** Field by field: a spread costs more than all the rest of a line. */
const fieldsOf = ({ requestId, traceId, token, method, route, status, bytes, clientLeft, seconds }: Observation) => ({
  requestId,
  traceId,
  token,
  method,
  route,
  status,
  bytes,
  clientLeft,
  ms: Math.round(seconds * 10_000) / 10,
})
