import { isLeft } from 'fp-ts/lib/Either.js'
import type { Logger } from 'pino'
import { greeting } from './greeting.js'
import { createLogger } from './logging/logger.js'
import { onNpmExit } from './npm-exit.js'
import { type Service, startService } from './service.js'
import { type Environment, readSettings } from './settings.js'
import { SettingsError } from './settings-error.js'

/** EX_CONFIG of sysexits.h: tells a supervisor that restarting will not help. */
const wrongSettings = 78

/** After Ctrl-C below npm, SIGINT arrives twice: from the terminal and from npm. A signal later than this means: quit now. */
const sameSignalMs = 1000

/** Runs the service as a process: reads the settings, starts, prints the greeting, stops on a signal. */
export const run = async (environment: Environment, prepare?: (service: Service) => Promise<void>): Promise<void> => {
  const settings = readSettings(environment)
  if (isLeft(settings))
    return giveUp(wrongSettings, `The settings are wrong:\n${settings.left.map(indented).join('\n')}`)
  const log = await createLogger(settings.right.logLevel)
  process.on('uncaughtException', err => {
    log.fatal({ err }, 'uncaught')
    process.exit(1)
  })
  try {
    const service = await startService(settings.right, log)
    if (service.reload !== undefined) process.on('SIGHUP', service.reload)
    stopOnSignal(service, log, environment)
    await prepare?.(service)
    process.stdout.write(greeting(service, settings.right))
  } catch (err) {
    log.debug({ err }, 'cannot start')
    giveUp(err instanceof SettingsError ? wrongSettings : 1, err instanceof Error ? err.message : String(err))
  }
}

const indented = (line: string): string => `  ${line}`

const giveUp = (code: number, why: string): never => {
  process.stderr.write(`${why}\n`)
  process.exit(code)
}

const stopOnSignal = (service: Service, log: Logger, environment: Environment): void => {
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
  onNpmExit(environment, () => stop('npm ended'))
}
