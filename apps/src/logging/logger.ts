import { setTimeout as pause } from 'node:timers/promises'
import type { Log, WriteLine } from '@snippets/domain/ports/log.js'
import { type DestinationStream, type LoggerOptions, pino } from 'pino'
import sonicBoom from 'sonic-boom'

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

type LogLevel = (typeof logLevels)[number]

export type Logger = Log &
  Readonly<{
    fatal: WriteLine
    /** Resolves when all lines are written, or after a timeout. False if a write hangs. */
    flush: () => Promise<boolean>
  }>

/** The most bytes queued for a slow reader. Further lines are dropped. */
const maxQueuedBytes = 1024 * 1024

/** The time for a slow reader at the end of the process. */
const maxFlushMs = 2000

/** Creates a logger on stderr: JSON lines, or readable lines on a terminal. */
export const createLogger = async (level: LogLevel): Promise<Logger> => {
  // without a listener a broken pipe ends the process; accessing the streams also makes pipes non-blocking
  for (const stream of [process.stderr, process.stdout]) stream.on('error', () => {})
  const options = { level, base: { pid: process.pid }, serializers: { err: errorFields } }
  if (!process.stderr.isTTY) return pipeLogger(options)
  return Object.assign(pino(options, await terminalDestination()), { flush: async () => true })
}

const pipeLogger = (options: LoggerOptions): Logger => {
  let isRetrying = false
  // `pino.destination` would stop writing for ever when a reader leaves, and write the rest synchronously at the exit
  const destination = new sonicBoom.SonicBoom({
    dest: process.stderr.fd,
    sync: false,
    // batches lines, and flushes them after 100 ms at the latest
    minLength: 16_000,
    periodicFlush: 100,
    maxLength: maxQueuedBytes,
    // with strings, each line would measure all queued text again, which is slow
    contentMode: 'buffer',
    retryEAGAIN: () => (isRetrying = true),
  })
  // the type declares strings only
  const lines: { write(line: Buffer | string): unknown } = destination
  // hides `flushSync` from pino: `fatal` would call it, and it blocks forever without a reader
  const log = pino(options, { write: line => lines.write(Buffer.from(line)) })
  let dropped = 0
  let reported = 0
  destination.on('error', () => {})
  destination.on('drop', () => dropped++)
  destination.on('drain', () => {
    if (dropped > reported) log.warn({ dropped: dropped - reported }, 'log lines were dropped')
    reported = dropped
  })
  const written = (): Promise<boolean> => new Promise(resolve => destination.flush(() => resolve(true)))
  const flush = () => {
    // a full pipe fails with EAGAIN, unless another process has made it blocking
    isRetrying = false
    // twice: the first flush may log how many lines were dropped
    return Promise.race([written().then(written), pause(maxFlushMs).then(() => isRetrying)])
  }
  return Object.assign(log, { flush })
}

/** Creates a destination with readable lines. Loads pino-pretty here, because loading takes long. */
const terminalDestination = async (): Promise<DestinationStream> => {
  const { PinoPretty } = await import('pino-pretty')
  const pretty = PinoPretty({
    destination: process.stderr.fd,
    sync: true,
    singleLine: true,
    ignore: 'pid,method,route,status,ms',
    messageFormat: '{msg}{if route} {method} {route} {status} in {ms} ms{end}',
  })
  return { write: (line: string) => pretty.write(printable(line)) }
}

/** Replaces control characters, so that text from clients cannot control a terminal. JSON leaves some unescaped. */
const printable = (json: string): string =>
  json
    .replace(/\\(?:u00[01][0-9a-f]|[bfr"\\])/g, found => (/^\\["\\]$/.test(found) ? found : '\ufffd'))
    .replace(/[\u007f-\u009f\p{Bidi_Control}]/gu, '\ufffd')

const maxCauses = 5

/**
 * Returns the loggable fields of an error and its causes. Other properties are left out, because body parsers and
 * database drivers put request bodies and rows there.
 */
export const errorFields = (error: unknown, depth = 0): object => {
  if (!(error instanceof Error)) return { type: typeof error }
  const { name, message, stack, cause } = error
  const isShown = cause !== undefined && depth < maxCauses
  return {
    type: name,
    message,
    code: 'code' in error ? error.code : undefined,
    stack,
    cause: isShown ? errorFields(cause, depth + 1) : undefined,
  }
}
