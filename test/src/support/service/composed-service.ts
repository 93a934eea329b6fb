import { type StartFailure, startService } from '@snippets/apps/service/service.js'
import type { Environment } from '@snippets/apps/settings/setting-parsers.js'
import { readSettings } from '@snippets/apps/settings/settings.js'
import * as E from 'fp-ts/lib/Either.js'
import { must } from '../snippets.js'
import { recordingLog, silentLog } from './logs.js'
import { stoppedAfterEach } from './mocha-service.js'

const settingsOf = (environment: Environment) => must(readSettings({ PORT: '0', ...environment }))

/** Starts a service that must fail to start. Returns its failure. */
export const startFailure = async (environment: Environment): Promise<StartFailure | undefined> => {
  const started = await startService(settingsOf(environment), silentLog)
  return E.isLeft(started) ? started.left : undefined
}

/** Starts services as apps composes them, but in this process, and stops them after each test. */
export const composedServices = () =>
  stoppedAfterEach(async (environment: Environment = {}) => {
    const { log, lines } = recordingLog()
    const service = must(await startService(settingsOf(environment), log))
    // empty unless the environment sets ADMIN_PORT
    return { ...service, adminUrl: service.adminUrl ?? '', logged: lines }
  })
