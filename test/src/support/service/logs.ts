import { inspect } from 'node:util'
import type { Observation } from '@snippets/adapters-http/middleware/observe.js'

/** A logged line. Its level is a number in JSON. */
export type LogLine = Readonly<{ level: number | string; msg: string; [field: string]: unknown }>

/** Returns the complete lines of a JSON log. */
export const logLinesOf = (log: string): readonly LogLine[] =>
  log
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))

/** Creates a log that records its lines. */
export const recordingLog = () => {
  const lines: LogLine[] = []
  const write = (level: string) => (fields: object, msg: string) => void lines.push({ level, msg, ...fields })
  return {
    log: { info: write('info'), warn: write('warn'), error: write('error'), droppedLines: () => 0 },
    lines,
    /** Returns the warnings and errors. */
    warnings: () => lines.filter(({ level }) => level !== 'info'),
  }
}

const nothing = (): void => {}

const maxKept = 5
const kept: string[] = []
const keep = (fields: object, message: string): void => {
  kept.push(`${message} ${inspect(fields, { depth: 9, breakLength: Number.POSITIVE_INFINITY })}`)
  kept.splice(0, kept.length - maxKept)
}

/** Prints nothing, and keeps the last warnings and errors for `lastWarnings`. */
export const silentLog = { debug: nothing, info: nothing, warn: keep, error: keep, droppedLines: () => 0 }

/** Returns the last warnings and errors of `silentLog`. */
export const lastWarnings = (): readonly string[] => kept

export const anObservation: Observation = {
  ...{ requestId: 'id', token: undefined, clientLeft: false },
  ...{ method: 'GET', route: '/api/users/', status: 200, problem: undefined, limit: undefined, seconds: 1, bytes: 0 },
}
