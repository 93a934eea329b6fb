import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import type { LineWriter } from '../log.js'
import type { LogLevel } from '../settings/settings.js'
import { LineOutput } from './line-output.js'
import { type Level, levels, logLine } from './log-line.js'

const stderr = 2
const maxWaiting = 1024 * 1024
const maxFlushMs = 500

export type Logger = LineWriter & Readonly<Record<Level, (fields: object, message: string) => void>>

/** Logs on stderr: JSON, or readable and in colours on a terminal. What still waits is written when the process exits. */
export const createLogger = async (least: LogLevel): Promise<Logger> => {
  const descriptor = nonBlocking()
  // otherwise a broken pipe would end the process, by a warning of Node or by the greeting
  for (const stream of [process.stderr, process.stdout]) stream.on('error', () => {})
  const output = new LineOutput({
    write: bytes => writeSync(descriptor, bytes),
    maxWaiting,
    onResume: dropped => log.warn({ dropped }, 'log lines were dropped'),
  })
  const shown = await formatFor(process.stderr.isTTY)
  const writer = (level: Level) =>
    isShown(level, least)
      ? (fields: object, message: string) => output.write(shown(logLine(level, fields, message)), levels[level])
      : () => {}
  const log = {
    trace: writer('trace'),
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    fatal: writer('fatal'),
    writeLine: (json: string) => output.write(shown(json), levels.info),
  }
  process.on('exit', () => output.flush(maxFlushMs))
  return log
}

const isShown = (level: Level, least: LogLevel): boolean => least !== 'silent' && levels[level] >= levels[least]

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
const formatFor = async (isTTY: boolean): Promise<(line: string) => string> =>
  isTTY ? (await import('./readable-line.js')).readableLine : line => line
