import type { IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type AdminOptions, adminApp } from '@snippets/adapters-http/admin/admin-app.js'
import { createApp } from '@snippets/adapters-http/app.js'
import { type ByteBudget, byteBudget } from '@snippets/adapters-http/load/byte-budget.js'
import { type LongResponses, limitLongResponses } from '@snippets/adapters-http/load/long-responses.js'
import type { Observe } from '@snippets/adapters-http/middleware/observe.js'
import { ownHosts } from '@snippets/adapters-http/request/target.js'
import { type Problem, problem } from '@snippets/adapters-http/response/problems.js'
import { defaultMaxBodyBytes } from '@snippets/adapters-http/routes/service-routes.js'
import { listen, type RunningServer } from '@snippets/adapters-http/server/listen.js'
import { useCases } from '@snippets/application/use-cases.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { accessLog } from '../logging/access-log.js'
import type { ServiceLog } from '../logging/logger.js'
import type { Metrics } from '../metrics.js'
import { bytesPerMiB } from '../settings/setting-parsers.js'
import type { Settings } from '../settings/settings.js'
import { storages } from '../storages/storages.js'
import { openTokenFile } from '../tokens/token-file.js'
import { linesOf } from '../transfer/row-lines.js'
import { version } from '../version.js'
import { createLifecycle } from './lifecycle.js'
import { observedStorage } from './observed-storage.js'
import { readiness } from './readiness.js'

export type Service = Readonly<{
  url: string
  /** None if ADMIN_PORT is not set. */
  adminUrl: O.Option<string>
  /** Reloads the token file. Logs a warning if API_TOKENS_FILE is not set. */
  reload: () => void
  /** Lets requests in flight finish first. Later calls wait for the first one. */
  stop: () => Promise<void>
}>

/** The longest wait for the preparation of the storage: the service also starts while a database is down. */
const maxPreparationMs = 1000

/** The least time for the storage to close, even if requests used up the grace period. */
const minCloseMs = 2000

/** Starts the service. If that fails, it closes everything and rejects with a message for the operator. */
export const startService = async (settings: Settings, log: ServiceLog): Promise<Service> => {
  const lifecycle = createLifecycle({ drainDelayMs: settings.DRAIN_DELAY_MS, graceMs: settings.SHUTDOWN_GRACE_MS })
  try {
    const tokenFile = pipe(
      settings.API_TOKENS_FILE,
      O.map(path => openTokenFile(path, log)),
    )
    const metrics = O.isSome(settings.ADMIN_PORT) ? (await import('../metrics.js')).createMetrics() : undefined
    const opening = storages[settings.STORAGE].open(settings, { users: settings.USERS, log, metrics })
    lifecycle.closeOnStop(graceMs => closeWithin(opening, graceMs))

    let storage: Storage | undefined
    const ready = readiness(opening, lifecycle.state)
    metrics?.addGauge('service_ready', '1 while /readyz answers 200, else 0', async () =>
      Number(E.isRight(await ready())),
    )
    metrics?.addCounter('log_lines_dropped_total', 'Log lines lost because their reader was too slow', log.droppedLines)
    const backup = (): E.Either<Problem, AsyncIterable<string>> => {
      if (storage === undefined) return E.left(problem('not-ready', { detail: 'The service is starting.' }))
      return storage.snapshot === undefined ? E.left(problem('unknown-path')) : E.right(linesOf(storage.snapshot))
    }
    const tokens = O.isSome(tokenFile) ? { tokens: tokenFile.value.tokens } : {}
    const admin = await listenForAdmin(settings, metrics, { ready, log, backup, ...tokens })
    if (O.isSome(admin)) lifecycle.closeOnStop(admin.value.stop)

    storage = await opening
    let server: RunningServer | undefined
    const { snippets, users } = metrics ? observedStorage(storage, metrics.observeOperation) : storage
    const logRequest = accessLog(log, settings.ACCESS_LOG)
    const observe: Observe = observation => {
      metrics?.observe(observation)
      logRequest(observation)
    }
    const bodyBudget = byteBudget(settings.MAX_BODIES_MB * bytesPerMiB)
    const lists = limitLongResponses(settings.MAX_LISTS)
    const longResponses = limitLongResponses(settings.MAX_UNSENT_MB * bytesPerMiB)
    const app = createApp({
      version,
      ...appSettings(settings),
      useCases: useCases({ snippets, users, clock: { now: Date.now } }),
      observe,
      ...tokens,
      ...(O.isNone(tokenFile) && { isForThisService: ownHostsIfLocal(settings.HOST, settings, () => server) }),
      bodyBudget,
      lists,
      longResponses,
    })
    await Promise.race([storage.prepared, pause(maxPreparationMs, undefined, { ref: false })])

    const address = { host: settings.HOST, port: settings.PORT }
    server = await listen(app.callback(), address, serverLimits(settings), observe)
    lifecycle.closeOnStop(server.stop)
    if (metrics) addLoadMetrics(metrics, server, bodyBudget, [lists, longResponses])
    lifecycle.startServing(server.announceStop)
    return {
      url: server.url,
      adminUrl: pipe(
        admin,
        O.map(({ url }) => url),
      ),
      reload: O.isSome(tokenFile)
        ? tokenFile.value.reload
        : () => log.warn({}, 'nothing to reload: API_TOKENS_FILE is not set'),
      stop: lifecycle.stop,
    }
  } catch (error) {
    await lifecycle.stop()
    throw error
  }
}

/**
 * Waits until the storage is open, and closes it. The close may take the grace period, or `minCloseMs` if that is
 * longer, because a disk may hang.
 */
const closeWithin = async (opening: Promise<Storage>, graceMs: number): Promise<void> => {
  const storage = await opening.catch(() => undefined)
  await Promise.race([storage?.close(), pause(Math.max(graceMs, minCloseMs), undefined, { ref: false })])
}

/** Opens the admin port while the storage is opening, so that an orchestrator can see that the service is starting. */
const listenForAdmin = async (
  settings: Settings,
  metrics: Metrics | undefined,
  options: Omit<AdminOptions, 'registry' | 'isLocal' | 'isForThisService'>,
): Promise<O.Option<RunningServer>> => {
  if (O.isNone(settings.ADMIN_PORT) || metrics === undefined) return O.none
  let server: RunningServer | undefined
  const isForThisService = ownHostsIfLocal(settings.ADMIN_HOST, settings, () => server)
  const isLocal = () => server?.isLocal === true
  const app = adminApp({ ...options, registry: metrics.registry, isLocal, isForThisService })
  server = await listen(app, { host: settings.ADMIN_HOST, port: settings.ADMIN_PORT.value })
  return O.some(server)
}

/** Returns a check of Hosts while only this machine can reach the server. Other servers may have names unknown here. */
const ownHostsIfLocal = (host: string, { PUBLIC_URL }: Settings, server: () => RunningServer | undefined) => {
  const isOwn = ownHosts([host, ...(O.isSome(PUBLIC_URL) ? [new URL(PUBLIC_URL.value).hostname] : [])])
  return (req: IncomingMessage): boolean => server()?.isLocal === false || isOwn(req)
}

const addLoadMetrics = (
  { addGauge, addCounter }: Metrics,
  { connections, closedConnections }: RunningServer,
  bodyBudget: ByteBudget,
  longResponses: readonly LongResponses[],
): void => {
  addGauge('http_connections', 'Open connections', connections)
  addGauge('http_body_bytes', 'Bytes of request bodies in progress', bodyBudget.taken)
  addCounter('http_closed_connections_total', 'Connections closed to make room for others', () =>
    longResponses.reduce((total, { closed }) => total + closed, closedConnections()),
  )
}

const appSettings = (settings: Settings) => ({
  publicUrl: settings.PUBLIC_URL,
  corsOrigins: settings.CORS_ORIGINS,
  maxBodyBytes: defaultMaxBodyBytes,
})

const serverLimits = (settings: Settings) => ({
  connections: settings.MAX_CONNECTIONS,
  idleMs: settings.IDLE_TIMEOUT_MS,
})
