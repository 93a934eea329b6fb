import { writeSync } from 'node:fs'
import { type Logger, pino } from 'pino'
import type { LogLevel } from '../settings.js'
import { errorFields } from './error-fields.js'
import { LineOutput } from './line-output.js'

const stderr = 2
const mostWaiting = 1024 * 1024
const longestFlushMs = 500

/** Logs on stderr: JSON, or readable and in colours on a terminal. What still waits is written when the process exits. */
export const createLogger = async (level: LogLevel): Promise<Logger> => {
  // also puts a pipe into non-blocking mode, so that writing to a full one fails instead of waiting
  const { isTTY } = process.stderr
  // otherwise a broken pipe would end the process, by a warning of Node or by the greeting
  for (const stream of [process.stderr, process.stdout]) stream.on('error', () => {})
  const output = new LineOutput({
    write: bytes => writeSync(stderr, bytes),
    mostWaiting,
    onResume: dropped => log.warn({ dropped }, 'log lines were dropped'),
  })
  const log = pino({ level, base: { pid: process.pid }, serializers: { err: errorFields } }, await onto(output, isTTY))
  process.on('exit', () => output.flush(longestFlushMs))
  return log
}

/** What formats for terminals is loaded only for one. */
const onto = async (output: LineOutput, isTTY: boolean): Promise<Pick<LineOutput, 'write'>> =>
  isTTY ? (await import('./readable-lines.js')).readableLines(output) : Object.assign(output, setsLastLevel)

const setsLastLevel = { [Symbol.for('pino.metadata')]: true }
