import type { RequestListener } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { createAdminApp, createMetrics } from '@snippets/adapters-http/admin.js'
import { createApp } from '@snippets/adapters-http/app.js'
import { listen } from '@snippets/adapters-http/server/listen.js'
import { useCases } from '@snippets/application/use-cases.js'
import { left } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { map, toUndefined } from 'fp-ts/lib/Option.js'
import { mapLeft, type TaskEither } from 'fp-ts/lib/TaskEither.js'
import { cannotListen } from './cannot-listen.js'
import type { Log } from './log.js'
import type { Settings } from './settings.js'
import { openStorage, type Storage } from './storage.js'

export type Service = Readonly<{
  url: string
  adminUrl: string | undefined
  /** Lets what is under way end first. A second call waits for the first. */
  stop: () => Promise<void>
}>

/** So that the first request finds the users there; a service whose database is down starts all the same. */
const longestPreparationMs = 1000

type State = 'starting' | 'serving' | 'stopping'

/** Rejects with a sentence for the operator where it cannot listen, and leaves nothing open then. */
export const startService = async (settings: Settings, log: Log): Promise<Service> => {
  const storage = openStorage(settings, log)
  const { snippets, users } = storage
  const admin = pipe(
    settings.admin,
    map(address => ({ ...address, ...createMetrics() })),
    toUndefined,
  )
  const app = createApp({
    useCases: useCases({ snippets, users, clock: { now: Date.now } }),
    log,
    publicUrl: settings.publicUrl,
    ...(admin && { observe: admin.observe }),
  })

  let state: State = 'starting'
  let stopped: Promise<void> | undefined
  // the newest first, which is the order to close them in
  const open: ((graceMs: number) => Promise<void>)[] = [storage.close]
  const closeAll = async (): Promise<void> => {
    const deadline = performance.now() + settings.shutdownGraceMs
    for (const close of open) await close(Math.max(0, deadline - performance.now()))
  }
  const stop = (): Promise<void> => {
    state = 'stopping'
    stopped ??= closeAll()
    return stopped
  }
  const listenOn = async (prefix: '' | 'ADMIN_', address: Address, listener: RequestListener): Promise<string> => {
    try {
      const { url, stop: close } = await listen(listener, address)
      open.unshift(close)
      return url
    } catch (error) {
      await stop()
      throw cannotListen(prefix, address, error)
    }
  }

  await Promise.race([storage.prepared, pause(longestPreparationMs, undefined, { ref: false })])
  const ready = readiness(storage, () => state)
  const adminUrl = admin && (await listenOn('ADMIN_', admin, createAdminApp({ ready, registry: admin.registry })))
  const url = await listenOn('', settings, app.requestListener())
  state = 'serving'
  return { url, adminUrl, stop }
}

type Address = Readonly<{ host: string; port: number }>

const readiness = ({ check }: Storage, state: () => State): TaskEither<string, void> => {
  const answers = pipe(
    check,
    mapLeft(() => 'The storage does not answer.'),
  )
  return async () => (state() === 'serving' ? answers() : left(`The service is ${state()}.`))
}
