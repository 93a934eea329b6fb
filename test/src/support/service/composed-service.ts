import { startService } from '@snippets/apps/service/service.js'
import { type Environment, readSettings } from '@snippets/apps/settings/settings.js'
import { toUndefined } from 'fp-ts/lib/Option.js'
import { must } from '../snippets.js'
import { recordingLog } from './logs.js'
import { stoppedAfterEach } from './mocha-service.js'

/** Starts services as apps composes them, but in this process, and stops them after each test. */
export const composedServices = () =>
  stoppedAfterEach(async (environment: Environment = {}) => {
    const { log, lines } = recordingLog()
    const settings = must(readSettings({ PORT: '0', ...environment }))
    const service = await startService(settings, { ...log, droppedLines: () => 3 })
    // empty unless the environment sets ADMIN_PORT
    return { ...service, adminUrl: toUndefined(service.adminUrl) ?? '', logged: lines }
  })
