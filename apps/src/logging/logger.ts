import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { type Logger, pino } from 'pino'
import type { LineWriter } from '../log.js'
import type { LogLevel } from '../settings/settings.js'
import { errorFields } from './error-fields.js'
import { LineOutput } from './line-output.js'

const stderr = 2
const maxWaiting = 1024 * 1024
const maxFlushMs = 500

/** Logs on stderr: JSON, or readable and in colours on a terminal. What still waits is written when the process exits. */
export const createLogger = async (level: LogLevel): Promise<Logger & LineWriter> => {
  const descriptor = nonBlocking()
  // otherwise a broken pipe would end the process, by a warning of Node or by the greeting
  for (const stream of [process.stderr, process.stdout]) stream.on('error', () => {})
  const output = new LineOutput({
    write: bytes => writeSync(descriptor, bytes),
    maxWaiting,
    onResume: dropped => log.warn({ dropped }, 'log lines were dropped'),
  })
  const lines = await lineWriterFor(output, process.stderr.isTTY)
  const log = pino({ level, base: { pid: process.pid }, serializers: { err: errorFields } }, lines)
  process.on('exit', () => output.flush(maxFlushMs))
  const writeLine = (json: string): void => {
    // of the last line that pino wrote, which may have been an error
    output.lastLevel = log.levels.values.info ?? 0
    lines.write(json)
  }
  return Object.assign(log, { writeLine })
}

/**
 * Writing to a full pipe then fails instead of waiting. The mode belongs to an open file description, which fd 2 shares with
 * other processes: the first of them to exit would reset it. So a pipe is opened anew, where the system can do that.
 */
const nonBlocking = (): number => {
  const { O_APPEND, O_NONBLOCK, O_WRONLY } = constants
  try {
    // `{ bigint: true }` avoids a bug of Node 20: a plain fstat overwrites the numbers that realpath reads, and later imports fail
    if (fstatSync(stderr, { bigint: true }).isFIFO())
      return openSync(`/proc/self/fd/${stderr}`, O_WRONLY | O_APPEND | O_NONBLOCK)
  } catch {
    // no /proc, no permission, or nobody at the other end
  }
  // Node sets the mode of a pipe or a socket when it makes this stream
  void process.stderr
  return stderr
}

/** The formatter for terminals is loaded only when there is one. */
const lineWriterFor = async (output: LineOutput, isTTY: boolean): Promise<Pick<LineOutput, 'write'>> =>
  isTTY ? (await import('./readable-lines.js')).readableLines(output) : Object.assign(output, setsLastLevel)

const setsLastLevel = { [Symbol.for('pino.metadata')]: true }
