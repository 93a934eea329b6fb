import { setTimeout as pause } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { identity, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { exitConfig, exitUsage, failStart } from '../exit.js'
import { createLogger, type Logger } from '../logging/logger.js'
import { readEnvironment } from '../settings/env-file.js'
import type { Environment } from '../settings/setting-parsers.js'
import { readSettings, type Settings } from '../settings/settings.js'
import { announce } from './announce.js'
import { createEndProcess, type EndProcess, stopSignals } from './end-process.js'
import { type Service, type StartFailure, startService } from './service.js'

/** Runs the service as a process: reads the settings, starts, logs its addresses and stops on a signal. */
export const run = async (
  ppid: number,
  adapt: (environment: Environment) => Environment = identity,
  afterStart?: AfterStart,
): Promise<void> => {
  // without a listener, SIGUSR1 opens Node's debugger to every user of the machine
  process.on('SIGUSR1', () => {})
  // ignoring arguments would hide a mistake
  if (process.argv.length > 2)
    failStart(exitUsage)('Arguments are not understood: settings are environment variables, as in PORT=8080 npm start.')
  const environment = pipe(readEnvironment(), E.map(adapt), E.getOrElseW(failStart(exitConfig)))
  const settings = pipe(
    readSettings(environment),
    E.getOrElseW(faults => failStart(exitConfig)(['The settings are wrong:', ...faults].join('\n  '))),
  )
  const { API_TOKENS_FILE, LOG_LEVEL, SHUTDOWN_GRACE_MS } = settings
  const log = await createLogger(LOG_LEVEL)
  const starting = start(settings, log, afterStart)
  const end = createEndProcess(starting, log)
  process.on('uncaughtException', err => {
    log.fatal({ err }, 'uncaught error, exiting')
    return end(1)
  })
  const npmShell = environment.npm_lifecycle_event === undefined ? undefined : ppid
  const isStopping = stopOnSignalOrNpmEnd(starting, SHUTDOWN_GRACE_MS, log, end, npmShell)
  const reload = () => starting.then(started => E.isRight(started) && started.right.reload())
  // without tokens, SIGHUP keeps its default on a terminal: closing the terminal ends the process
  if (!process.stderr.isTTY || O.isSome(API_TOKENS_FILE)) process.on('SIGHUP', reload)
  const started = await starting
  if (E.isLeft(started)) return end(started.left.exitCode, started.left.message)
  if (isStopping()) return
  announce(started.right, settings, environment, log)
}

type AfterStart = (service: Service) => Promise<void>

/** An error in `afterStart` is a failed start too. */
const start = async (
  settings: Settings,
  log: Logger,
  afterStart: AfterStart | undefined,
): Promise<E.Either<StartFailure, Service>> => {
  try {
    const started = await startService(settings, log)
    if (E.isRight(started)) await afterStart?.(started.right)
    return started
  } catch (err) {
    log.error({ err }, 'the start failed')
    return E.left({ exitCode: 1, message: 'The service cannot start: the log has the cause.', mayExit: true })
  }
}

/** The time in which a repeated signal is ignored. Under npm, Ctrl-C arrives twice: from the terminal and from npm. */
const debounceMs = 1000

const shellCheckMs = 200

/**
 * Once the service has started, stops it on the first signal or when npm ends. Abandons a start that does not finish
 * within the grace period, as with a large data directory. Ends the process at once on a later, second signal.
 * Returns a function that tells whether the service is stopping.
 */
const stopOnSignalOrNpmEnd = (
  starting: Promise<E.Either<unknown, Service>>,
  graceMs: number,
  log: Logger,
  end: EndProcess,
  npmShell: number | undefined,
): (() => boolean) => {
  let stoppingSince: number | undefined
  const stop = async (reason: string): Promise<void> => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince < debounceMs) return
      log.warn({}, 'a second signal ends the process at once')
      return end(1)
    }
    stoppingSince = performance.now()
    log.info({ reason }, 'stopping')
    const started = await Promise.race([starting, pause(graceMs)])
    if (started === undefined) log.warn({}, 'the start took longer than SHUTDOWN_GRACE_MS, and was abandoned')
    else if (E.isRight(started)) await started.right.stop()
    log.info({}, 'stopped')
    return end(0)
  }
  for (const signal of stopSignals) process.on(signal, stop)
  // npm sends its signals to a shell, which ends without passing them on
  const stopWithShell = () => stoppingSince === undefined && process.ppid !== npmShell && stop('npm has ended')
  if (npmShell !== undefined) setInterval(stopWithShell, shellCheckMs).unref()
  return () => stoppingSince !== undefined
}
