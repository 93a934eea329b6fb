import { setTimeout as pause } from 'node:timers/promises'
import { type DestinationStream, type LoggerOptions, pino } from 'pino'
import { errorFields } from './error-fields.js'

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export type LogLevel = (typeof logLevels)[number]

type Write = (fields: object, message: string) => void

/** What composition and adapters need. */
export type Log = Readonly<{
  info: Write
  warn: Write
  error: Write
  /** How many lines were lost since the start because nobody read them in time. */
  droppedLines: () => number
}>

export type Logger = Log &
  Readonly<{
    debug: Write
    fatal: Write
    /** Resolves when all lines are written, or the reader has had its time. For the end of the process. */
    flush: () => Promise<void>
  }>

/** Bytes that may wait for a slow reader; what is more is dropped. */
const maxWaiting = 1024 * 1024

/** How long the end of the process waits for a slow reader. */
const maxFlushMs = 2000

/** Logs on stderr: JSON, or readable lines on a terminal. */
export const createLogger = async (level: LogLevel): Promise<Logger> => {
  // without a listener a broken pipe would end the process; and Node makes a pipe non-blocking when its stream is made
  for (const stream of [process.stderr, process.stdout]) stream.on('error', () => {})
  const options = { level, base: { pid: process.pid }, serializers: { err: errorFields } }
  if (!process.stderr.isTTY) return pipeLogger(options)
  return Object.assign(pino(options, await terminal()), { flush: async () => {}, droppedLines: () => 0 })
}

const pipeLogger = (options: LoggerOptions): Logger => {
  const destination = pino.destination({
    dest: process.stderr.fd,
    sync: false,
    // many lines in one write, and none waits for long
    minLength: 16_000,
    periodicFlush: 100,
    maxLength: maxWaiting,
    // of texts it would count all that waits at every line
    contentMode: 'buffer',
  })
  // its types know of texts only
  const lines: { write(line: Buffer | string): unknown } = destination
  // without the means to write at once, as `fatal` would: it waits for ever where nobody reads
  const log = pino(options, { write: line => lines.write(Buffer.from(line)) })
  let [dropped, reported] = [0, 0]
  destination.on('error', () => {})
  destination.on('drop', () => dropped++)
  destination.on('drain', () => {
    if (dropped > reported) log.warn({ dropped: dropped - reported }, 'log lines were dropped')
    reported = dropped
  })
  // otherwise pino writes the rest now, and waits for ever where nobody reads
  process.prependListener('exit', () => destination.destroy())
  const written = (): Promise<void> => new Promise(resolve => destination.flush(() => resolve()))
  // twice, as the first may end with the line about those that were dropped
  const flush = () => Promise.race([written().then(written), pause(maxFlushMs)])
  return Object.assign(log, { flush, droppedLines: () => dropped })
}

/** Loaded only where there is a terminal, as it takes longer to load than all else that logs. */
const terminal = async (): Promise<DestinationStream> => {
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

/** What others wrote must not steer a terminal. In JSON control characters are escapes, but for the newer ones. */
const printable = (json: string): string =>
  json
    .replace(/\\(?:u00[01][0-9a-f]|[bfr"\\])/g, found => (/^\\["\\]$/.test(found) ? found : '\ufffd'))
    .replace(/[\u007f-\u009f\p{Bidi_Control}]/gu, '\ufffd')
