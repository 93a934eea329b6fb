import cluster from 'node:cluster'
import type { Logger } from './logging/logger.js'
import { onNpmExit } from './npm-exit.js'
import type { Service } from './service.js'
import type { Environment } from './settings/environment.js'

/** Below npm, Ctrl-C arrives twice: from the terminal and from npm. */
const sameSignalMs = ({ npm_lifecycle_event: npmScript }: Environment): number => (npmScript === undefined ? 0 : 1000)

/** The first signal stops the service as soon as it has started, a second one ends the process at once. Returns whether it stops. */
export const stopOnSignal = (starting: Promise<Service>, log: Logger, environment: Environment): (() => boolean) => {
  let since: number | undefined
  const stop = async (reason: string): Promise<void> => {
    if (since !== undefined) {
      if (performance.now() - since >= sameSignalMs(environment)) process.exit(1)
      return
    }
    since = performance.now()
    log.info({ reason }, 'stopping')
    const service = await starting.catch(() => undefined)
    await service?.stop()
    log.info({}, 'stopped')
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  // in a terminal a worker gets it too, but it is the primary that tells it to stop
  process.on('SIGINT', cluster.isWorker ? () => {} : stop)
  if (!cluster.isWorker) onNpmExit(environment, () => stop('npm ended'))
  return () => since !== undefined
}
