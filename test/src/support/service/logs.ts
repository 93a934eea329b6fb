import { inspect } from 'node:util'

export type LogLine = Readonly<{ level: number; msg: string; [field: string]: unknown }>

/** Returns the complete lines of a JSON log. */
export const logLinesOf = (log: string): readonly LogLine[] =>
  log
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))

const nothing = (): void => {}

const maxKept = 5
const kept: string[] = []
const keep = (fields: object, message: string): void => {
  kept.push(`${message} ${inspect(fields, { breakLength: Number.POSITIVE_INFINITY })}`)
  kept.splice(0, kept.length - maxKept)
}

/** Prints nothing, and keeps the last warnings and errors for `lastWarnings`. */
export const silentLog = { debug: nothing, info: nothing, warn: keep, error: keep, droppedLines: () => 0 }

/** Returns the last warnings and errors of `silentLog`. */
export const lastWarnings = (): readonly string[] => kept
