import { setTimeout as pause } from 'node:timers/promises'
import { createAdminApp } from '@snippets/adapters-http/admin/admin-app.js'
import { createMetrics } from '@snippets/adapters-http/admin/metrics.js'
import { createApp } from '@snippets/adapters-http/app.js'
import { listen } from '@snippets/adapters-http/server/listen.js'
import { useCases } from '@snippets/application/use-cases.js'
import { left } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { map, toUndefined } from 'fp-ts/lib/Option.js'
import { mapLeft, type TaskEither } from 'fp-ts/lib/TaskEither.js'
import { cannotListen } from './cannot-listen.js'
import { createLifetime, type Lifetime } from './lifetime.js'
import type { Log } from './log.js'
import type { Settings } from './settings.js'
import { openStorage, type Storage } from './storage.js'

export type Service = Readonly<{
  url: string
  adminUrl: string | undefined
  /** Lets requests in flight finish first. Later calls wait for the first one. */
  stop: () => Promise<void>
}>

/** Wait briefly so that provisioned users exist on the first request; start anyway if the database is down. */
const longestPreparationMs = 1000

/** Rejects with a sentence for the operator if it cannot listen, and then leaves nothing open. */
export const startService = async (settings: Settings, log: Log): Promise<Service> => {
  const lifetime = createLifetime(settings.shutdownGraceMs)
  const storage = openStorage(settings, log)
  lifetime.opened(storage.close)
  const admin = adminOf(settings)
  const app = createApp({
    useCases: useCases({ snippets: storage.snippets, users: storage.users, clock: { now: Date.now } }),
    log,
    publicUrl: settings.publicUrl,
    ...(admin && { observe: admin.observe }),
  })
  await Promise.race([storage.prepared, pause(longestPreparationMs, undefined, { ref: false })])
  try {
    const ready = readiness(storage, lifetime)
    const adminUrl =
      admin && (await listenOn(lifetime, 'ADMIN_', admin, createAdminApp({ ready, registry: admin.registry })))
    const url = await listenOn(lifetime, '', settings, app.callback())
    lifetime.serving()
    return { url, adminUrl, stop: lifetime.stop }
  } catch (error) {
    await lifetime.stop()
    throw error
  }
}

const adminOf = ({ admin }: Settings) =>
  pipe(
    admin,
    map(address => ({ ...address, ...createMetrics() })),
    toUndefined,
  )

type Address = Readonly<{ host: string; port: number }>
type Listener = Parameters<typeof listen>[0]

const listenOn = async (
  lifetime: Lifetime,
  prefix: '' | 'ADMIN_',
  address: Address,
  listener: Listener,
): Promise<string> => {
  try {
    const { url, stop } = await listen(listener, address)
    lifetime.opened(stop)
    return url
  } catch (error) {
    throw cannotListen(prefix, address, error)
  }
}

const readiness = ({ check }: Storage, { state }: Lifetime): TaskEither<string, void> => {
  const answers = pipe(
    check,
    mapLeft(() => 'The storage does not answer.'),
  )
  return async () => (state() === 'serving' ? answers() : left(`The service is ${state()}.`))
}
