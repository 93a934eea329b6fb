import { isLeft } from 'fp-ts/lib/Either.js'
import { destination, type Logger, pino } from 'pino'
import { greeting } from './greeting.js'
import { type Service, startService } from './service.js'
import { type Environment, readSettings } from './settings.js'

/** EX_CONFIG of sysexits.h: a supervisor can tell that starting again does not help. */
const wrongSettings = 78

/** Ctrl-C reaches a service that npm started twice, from the terminal and from npm. Later than this it is the user who insists. */
const sameSignalMs = 1000

/** The life of the process: starts the service, says where it is, stops it on a signal. */
export const run = async (environment: Environment, prepare?: (service: Service) => Promise<void>): Promise<void> => {
  const settings = readSettings(environment)
  if (isLeft(settings))
    return giveUp(wrongSettings, `The settings are wrong:\n${settings.left.map(indented).join('\n')}`)
  const log = pino({ level: settings.right.logLevel }, destination(2))
  process.on('uncaughtException', err => {
    log.fatal({ err }, 'uncaught')
    process.exit(1)
  })
  try {
    const service = await startService(settings.right, log)
    stopWhenTold(service, log, environment)
    await prepare?.(service)
    process.stdout.write(greeting(service, settings.right))
  } catch (err) {
    log.debug({ err }, 'cannot start')
    giveUp(1, err instanceof Error ? err.message : String(err))
  }
}

const indented = (line: string): string => `  ${line}`

const giveUp = (code: number, why: string): never => {
  process.stderr.write(`${why}\n`)
  process.exit(code)
}

const stopWhenTold = (service: Service, log: Logger, { npm_lifecycle_event: npmScript }: Environment): void => {
  let since: number | undefined
  const stop = async (reason: string): Promise<void> => {
    if (since !== undefined) {
      if (performance.now() - since > sameSignalMs) process.exit(1)
      return
    }
    since = performance.now()
    log.info({ reason }, 'stopping')
    await service.stop()
    log.info('stopped')
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  if (npmScript !== undefined) onOrphaned(() => stop('npm ended'))
}

/** npm puts a shell between itself and the service, and some shells end at a signal without passing it on. */
const onOrphaned = (tell: () => void): void => {
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    tell()
  }, 500)
}
