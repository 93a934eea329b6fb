import { setTimeout as pause } from 'node:timers/promises'
import type { Metrics } from '@snippets/adapters-http/admin/metrics.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { createLifetime } from './lifetime.js'
import { listenOn, listenOnAdmin } from './listening.js'
import type { Log } from './log.js'
import { observedStorage } from './observed-storage.js'
import { publicApp } from './public-app.js'
import { readiness } from './readiness.js'
import type { Settings } from './settings/settings.js'
import { openStorage, type Storage } from './storage.js'
import type { TokenFile } from './tokens/token-file.js'

export type Service = Readonly<{
  url: string
  adminUrl: string | undefined
  /** Rereads the token file. Undefined where none is set. */
  reload: (() => void) | undefined
  /** Left says in a sentence why it is not ready. */
  ready: TaskEither<string, void>
  /** Lets requests in flight finish first. Later calls wait for the first one. */
  stop: () => Promise<void>
}>

/** Wait briefly so that provisioned users exist on the first request; start anyway if the database is down. */
const maxPreparationMs = 1000

/** The storage gets this long to close even if requests used up the grace period. */
const minCloseMs = 2000

/** Rejects with a sentence for the operator if it cannot listen, and then leaves nothing open. */
export const startService = async (settings: Settings, log: Log, sharedMetrics?: Metrics): Promise<Service> => {
  const lifetime = createLifetime(settings)
  const metrics = sharedMetrics ?? (await metricsOf(settings))
  const tokenFile = await tokenFileOf(settings, log)
  const opening = openStorage(settings, log, metrics)
  lifetime.opened(graceMs => closeWithin(opening, graceMs))
  const ready = readiness(opening, lifetime.state)
  try {
    const adminUrl =
      metrics && O.isSome(settings.admin)
        ? await listenOnAdmin(lifetime, settings.admin.value, { ready, registry: metrics.registry, log })
        : undefined
    const storage = await opening
    const observed = metrics ? observedStorage(storage, metrics.observeOperation) : storage
    const app = await publicApp(settings, {
      storage: observed,
      log,
      tokens: tokenFile?.tokens,
      observe: metrics?.observe,
    })
    await Promise.race([storage.prepared, pause(maxPreparationMs, undefined, { ref: false })])
    const { url, load } = await listenOn(lifetime, settings, app)
    metrics?.showLoad(load)
    lifetime.serving()
    return { url, adminUrl, ready, reload: tokenFile?.reload, stop: lifetime.stop }
  } catch (error) {
    await lifetime.stop()
    throw error
  }
}

/** A disk that does not answer must not keep the process from ending. */
const closeWithin = async (opening: Promise<Storage>, graceMs: number): Promise<void> => {
  const storage = await opening.catch(() => undefined)
  await Promise.race([storage?.close(), pause(Math.max(graceMs, minCloseMs), undefined, { ref: false })])
}

const tokenFileOf = async ({ tokensFile }: Settings, log: Log): Promise<TokenFile | undefined> => {
  if (!O.isSome(tokensFile)) return undefined
  const { openTokenFile } = await import('./tokens/token-file.js')
  return openTokenFile(tokensFile.value, log)
}

/** prom-client is loaded only when the admin port is on. */
const metricsOf = async ({ admin }: Settings): Promise<Metrics | undefined> => {
  if (!O.isSome(admin)) return undefined
  const { createMetrics } = await import('@snippets/adapters-http/admin/metrics.js')
  return createMetrics()
}
