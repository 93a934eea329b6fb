import { errorFields } from './error-fields.js'

/** Numbers that tools for logs know. */
export const levels = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60 } as const

export type Level = keyof typeof levels

/** One line of JSON. `err` among the fields may be anything that was thrown. */
export const logLine = (level: Level, fields: object, msg: string): string => {
  const shown = 'err' in fields ? { ...fields, err: errorFields(fields.err) } : fields
  return `${JSON.stringify({ level: levels[level], time: Date.now(), pid: process.pid, ...shown, msg })}\n`
}
