import cluster from 'node:cluster'
import * as E from 'fp-ts/lib/Either.js'
import { wrongSettings } from './exit-codes.js'
import { greeting } from './greeting.js'
import { createLogger, type Logger } from './logging/logger.js'
import { type Service, startService } from './service.js'
import type { Environment } from './settings/environment.js'
import { unusual } from './settings/notices.js'
import { readSettings, type Settings } from './settings/settings.js'
import { SettingsError } from './settings/settings-error.js'
import { stopOnSignal } from './stop-on-signal.js'
import { WorkerFailed } from './workers/worker-failed.js'

/** Runs the service as a process: reads the settings, starts, prints the greeting, stops on a signal. */
export const run = async (environment: Environment, prepare?: (service: Service) => Promise<void>): Promise<void> => {
  const settings = readSettings(environment)
  if (E.isLeft(settings))
    return giveUp(wrongSettings, `The settings are wrong:\n${settings.left.map(indented).join('\n')}\n`)
  const log = await createLogger(settings.right.logLevel)
  process.on('uncaughtException', err => {
    log.fatal({ err }, 'uncaught')
    process.exit(1)
  })
  try {
    const starting = start(settings.right, log)
    const isStopping = stopOnSignal(starting, log, environment)
    const service = await starting
    if (service.reload !== undefined) process.on('SIGHUP', service.reload)
    if (cluster.isWorker || isStopping()) return
    for (const notice of unusual(settings.right, environment)) log.warn({}, notice)
    await prepare?.(service)
    process.stdout.write(greeting(service, settings.right))
  } catch (err) {
    log.debug({ err }, 'cannot start')
    if (err instanceof WorkerFailed) giveUp(err.code, '')
    giveUp(err instanceof SettingsError ? wrongSettings : 1, `${err instanceof Error ? err.message : err}\n`)
  }
}

/** The code of workers is loaded only when WORKERS is above 1. */
const start = async (settings: Settings, log: Logger): Promise<Service> => {
  if (cluster.isWorker) return (await import('./workers/worker.js')).startWorker(settings, log)
  if (settings.workers > 1) return (await import('./workers/primary.js')).startPrimary(settings, log)
  return startService(settings, log)
}

const indented = (line: string): string => `  ${line}`

const giveUp = (code: number, why: string): never => {
  process.stderr.write(why)
  process.exit(code)
}
