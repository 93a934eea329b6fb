import type { Log } from '@snippets/application/log.js'

const linesPerSecond = 50

/** Limits the lines per second, because every request may fail. A last line tells how many were suppressed. */
export const rateLimitedLog = (log: Log): Log => {
  let written = 0
  let suppressed = 0
  const endSecond = (): void => {
    if (suppressed > 0) log.warn({ suppressed }, 'log lines of failed requests suppressed')
    written = 0
    suppressed = 0
  }
  const limited =
    (level: keyof Log) =>
    (fields: object, message: string): void => {
      if (written === 0) setTimeout(endSecond, 1000).unref()
      if (written === linesPerSecond) {
        suppressed++
        return
      }
      written++
      log[level](fields, message)
    }
  return { info: limited('info'), warn: limited('warn'), error: limited('error') }
}
