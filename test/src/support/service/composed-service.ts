import { type Service, startService } from '@snippets/apps/service/service.js'
import type { Environment } from '@snippets/apps/settings/settings.js'
import { readSettings } from '@snippets/apps/settings/settings.js'
import { toUndefined } from 'fp-ts/lib/Option.js'
import { must } from '../snippets.js'
import { recordingLog } from './logs.js'

/** Starts services as apps composes them, but in this process, and stops them after each test. */
export const composedServices = () => {
  let stops: Service['stop'][] = []
  afterEach(async () => {
    await Promise.all(stops.map(stop => stop()))
    stops = []
  })
  return async (environment: Environment = {}) => {
    const { log, lines } = recordingLog()
    const settings = must(readSettings({ PORT: '0', ...environment }))
    const service = await startService(settings, { ...log, droppedLines: () => 3 })
    stops.push(service.stop)
    // empty unless the environment sets ADMIN_PORT
    return { ...service, adminUrl: toUndefined(service.adminUrl) ?? '', logged: lines }
  }
}
