import { type Service, startService } from '@snippets/apps/service/service.js'
import type { Environment } from '@snippets/apps/settings/environment.js'
import { readSettings } from '@snippets/apps/settings/settings.js'
import { toUndefined } from 'fp-ts/lib/Option.js'
import { must } from '../snippets.js'

export type Logged = Readonly<{ level: 'info' | 'warn' | 'error'; msg: string; [field: string]: unknown }>

export type ComposedService = Omit<Service, 'adminUrl'> &
  Readonly<{
    /** Empty unless the environment sets ADMIN_PORT. */
    adminUrl: string
    logged: readonly Logged[]
  }>

/** Starts services as apps composes them, but in this process, and stops them after each test. */
export const composedServices = () => {
  let stops: Service['stop'][] = []
  afterEach(async () => {
    await Promise.all(stops.map(stop => stop()))
    stops = []
  })
  return async (environment: Environment = {}): Promise<ComposedService> => {
    const logged: Logged[] = []
    const write = (level: Logged['level']) => (fields: object, msg: string) =>
      void logged.push({ level, msg, ...fields })
    const log = { info: write('info'), warn: write('warn'), error: write('error'), droppedLines: () => 3 }
    const service = await startService(must(readSettings({ PORT: '0', ...environment })), log)
    stops.push(service.stop)
    return { ...service, adminUrl: toUndefined(service.adminUrl) ?? '', logged }
  }
}
