import { setTimeout as pause } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { exitConfig, failStart } from '../exit.js'
import { createLogger, type Logger } from '../logging/logger.js'
import type { Environment } from '../setting-parsers.js'
import { readSettings, settingsWarnings } from '../settings/settings.js'
import { storages } from '../storages/storages.js'
import { version } from '../version.js'
import { makeGreeting } from './greeting.js'
import { openFilesWarnings } from './open-files.js'
import { type Service, startService } from './service.js'

/** Runs the service as a process: reads the settings, starts, logs its addresses and stops on a signal. */
export const run = async (
  environment: E.Either<string, Environment>,
  afterStart?: (service: Service) => Promise<void>,
): Promise<void> => {
  // without a listener, SIGUSR1 opens Node's debugger to every user of the machine
  process.on('SIGUSR1', () => {})
  if (E.isLeft(environment)) return failStart(exitConfig, environment.left)
  const settings = readSettings(environment.right)
  if (E.isLeft(settings))
    return failStart(exitConfig, ['The settings are wrong:', ...settings.left.map(fault => `  ${fault}`)].join('\n'))
  const log = await createLogger(settings.right.LOG_LEVEL)
  process.on('uncaughtException', async err => {
    log.fatal({ err }, 'uncaught error, exiting')
    await log.flush()
    process.exit(1)
  })
  const starting = startService(settings.right, log)
  const isStopping = stopOnSignal(starting, settings.right.SHUTDOWN_GRACE_MS, log, environment.right)
  // without tokens, SIGHUP keeps its default on a terminal: closing the terminal ends the process
  const reload = async () => E.map<Service, void>(service => service.reload())(await starting)
  if (!process.stderr.isTTY || O.isSome(settings.right.API_TOKENS_FILE)) process.on('SIGHUP', reload)
  const started = await starting
  if (E.isLeft(started)) {
    await log.flush()
    return failStart(started.left.exitCode, started.left.message)
  }
  if (isStopping()) return
  const service = started.right
  await afterStart?.(service)
  const { STORAGE: storage } = settings.right
  const storedIn = storages[storage].location(settings.right)
  const { url, adminUrl } = service
  const access = O.isSome(settings.right.API_TOKENS_FILE) ? 'tokens' : 'open'
  log.info({ version, storage, storedIn, access, url, adminUrl }, 'listening')
  const warnings = settingsWarnings(settings.right, environment.right, service.isLocal)
  for (const warning of [...warnings, ...openFilesWarnings(settings.right.MAX_CONNECTIONS)]) log.warn({}, warning)
  if (process.stdout.isTTY) process.stdout.write(makeGreeting(service, settings.right))
}

/** The time in which a repeated signal is ignored. Under npm, Ctrl-C arrives twice: from the terminal and from npm. */
const debounceMs = 1000

const shellCheckMs = 200

/**
 * Stops the service on the first signal, once it has started. Abandons a start that does not finish within the grace
 * period, as with a large data directory. Ends the process at once on a later, second signal. Returns a function that
 * tells whether a signal has arrived.
 */
const stopOnSignal = (
  starting: Promise<E.Either<unknown, Service>>,
  graceMs: number,
  log: Logger,
  environment: Environment,
): (() => boolean) => {
  let stoppingSince: number | undefined
  const stop = async (reason: string): Promise<void> => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince < debounceMs) return
      log.warn({}, 'a second signal ends the process at once')
      await log.flush()
      process.exit(1)
    }
    stoppingSince = performance.now()
    log.info({ reason }, 'stopping')
    const started = await Promise.race([starting, pause(graceMs)])
    if (started === undefined) log.warn({}, 'the start took longer than SHUTDOWN_GRACE_MS, and was abandoned')
    else if (E.isRight(started)) await started.right.stop()
    log.info({}, 'stopped')
    await log.flush()
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // npm sends its signals to a shell, which ends without passing them on
  const { ppid } = process
  const stopWithShell = () => stoppingSince === undefined && process.ppid !== ppid && stop('npm has ended')
  if (environment.npm_lifecycle_event !== undefined) setInterval(stopWithShell, shellCheckMs).unref()
  return () => stoppingSince !== undefined
}
