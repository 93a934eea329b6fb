import { shareMetrics } from '@snippets/adapters-http/admin/worker-metrics.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Log } from '../log.js'
import { type Service, startService } from '../service.js'
import type { Settings } from '../settings/settings.js'
import { type FromWorker, isFromPrimary } from './messages.js'

const tell = (message: FromWorker): void => void process.send?.(message)

/** One of several processes. The primary serves the admin pages, and waits for the drain delay before it stops the workers. */
export const startWorker = async (settings: Settings, log: Log): Promise<Service> => {
  const metrics = O.isSome(settings.admin) ? shareMetrics() : undefined
  const service = await startService({ ...settings, admin: O.none, drainDelayMs: 0 }, log, metrics)
  process.on('message', async message => {
    if (!isFromPrimary(message)) return
    const ready = await service.ready()
    tell({ about: 'readiness', question: message.question, fault: E.isLeft(ready) ? ready.left : undefined })
  })
  tell({ about: 'serving', url: service.url })
  return service
}
