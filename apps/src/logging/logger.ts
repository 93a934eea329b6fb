import { type DestinationStream, type LoggerOptions, pino } from 'pino'
import { errorFields } from './error-fields.js'

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export type LogLevel = (typeof logLevels)[number]

type Write = (fields: object, message: string) => void

export type Log = Readonly<{ debug: Write; info: Write; warn: Write; error: Write; fatal: Write }>

/** How many bytes may wait for a slow reader; what is more is dropped. */
const maxWaiting = 1024 * 1024

/** How long the end of the process waits for the reader. */
const maxFlushMs = 500

/** Logs on stderr: JSON, or readable lines on a terminal. */
export const createLogger = async (level: LogLevel): Promise<Log> => {
  // without a listener a broken pipe would end the process; and Node makes a pipe non-blocking when its stream is made
  for (const stream of [process.stderr, process.stdout]) stream.on('error', () => {})
  const options = { level, base: { pid: process.pid }, serializers: { err: errorFields } }
  if (!process.stderr.isTTY) return pipeLogger(options)
  const log: Log = pino(options, await terminal())
  return log
}

const pipeLogger = (options: LoggerOptions): Log => {
  let giveUpAt = Number.POSITIVE_INFINITY
  let dropped = 0
  const destination = pino.destination({
    dest: process.stderr.fd,
    sync: false,
    maxLength: maxWaiting,
    retryEAGAIN: () => performance.now() < giveUpAt,
  })
  const log = pino(options, destination)
  destination.on('error', () => {})
  destination.on('drop', () => dropped++)
  destination.on('drain', () => {
    if (dropped > 0) log.warn({ dropped }, 'log lines were dropped')
    dropped = 0
  })
  // before the listener of pino, which would wait for the reader for ever
  process.prependListener('exit', () => {
    giveUpAt = performance.now() + maxFlushMs
    try {
      destination.flushSync()
    } catch {
      destination.destroy()
    }
  })
  return log
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
