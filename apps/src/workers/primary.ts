import { workerMetrics } from '@snippets/adapters-http/admin/worker-metrics.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { createLifetime } from '../lifetime.js'
import { listenOnAdmin } from '../listening.js'
import type { Log } from '../log.js'
import type { Service } from '../service.js'
import type { Settings } from '../settings/settings.js'
import { askWorkers } from './ask-workers.js'
import { WorkerPool } from './worker-pool.js'

/** A worker that takes longer than its grace period hangs. */
const toleranceMs = 2000

/** The primary process serves only the admin pages; its workers serve the API. */
export const startPrimary = async (settings: Settings, log: Log): Promise<Service> => {
  const lifetime = createLifetime(settings)
  const pool = new WorkerPool(log)
  const ready: Service['ready'] = async () =>
    lifetime.state() === 'serving' ? askWorkers(pool.workers) : E.left(`The service is ${lifetime.state()}.`)
  try {
    const adminUrl = O.isSome(settings.admin)
      ? await listenOnAdmin(lifetime, settings.admin.value, { ready, registry: workerMetrics(), log })
      : undefined
    lifetime.opened(graceMs => pool.stop(graceMs + toleranceMs))
    const url = await pool.start(settings.workers)
    lifetime.serving()
    const reload = (): void => {
      for (const worker of pool.workers) worker.process.kill('SIGHUP')
    }
    return { url, adminUrl, ready, reload: O.isSome(settings.tokensFile) ? reload : undefined, stop: lifetime.stop }
  } catch (error) {
    await lifetime.stop()
    throw error
  }
}
