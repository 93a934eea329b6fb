import type { Log } from './log.js'

const linesPerSecond = 50

/** Limits the lines per second, as every request fails during an outage. A last line tells how many were left out. */
export const rateLimitedLog = (log: Log): Log => {
  let written = 0
  let leftOut = 0
  const endSecond = (): void => {
    if (leftOut > 0) log.warn({ leftOut }, 'log lines of failed requests left out')
    written = 0
    leftOut = 0
  }
  const limited =
    (level: keyof Log) =>
    (fields: object, message: string): void => {
      if (written === 0) setTimeout(endSecond, 1000).unref()
      if (written === linesPerSecond) {
        leftOut++
        return
      }
      written++
      log[level](fields, message)
    }
  return { warn: limited('warn'), error: limited('error') }
}
