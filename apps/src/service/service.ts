import type { IncomingMessage } from 'node:http'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { adminApp } from '@snippets/adapters-http/admin/admin-app.js'
import { createApp } from '@snippets/adapters-http/app.js'
import { limitLongResponses } from '@snippets/adapters-http/load/long-responses.js'
import { Places } from '@snippets/adapters-http/load/places.js'
import type { Observe } from '@snippets/adapters-http/middleware/observe.js'
import type { BodyBytes } from '@snippets/adapters-http/request/receive-body.js'
import { ownHosts } from '@snippets/adapters-http/request/target.js'
import { type Problem, problem } from '@snippets/adapters-http/response/problems.js'
import { listen, type RunningServer } from '@snippets/adapters-http/server/listen.js'
import { useCases } from '@snippets/application/use-cases.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { accessLog } from '../logging/access-log.js'
import type { ServiceLog } from '../logging/logger.js'
import { bytesPerMiB } from '../settings/setting-parsers.js'
import type { Settings } from '../settings/settings.js'
import { storages } from '../storages/storages.js'
import { openTokenFile } from '../tokens/token-file.js'
import { linesOf } from '../transfer/ndjson.js'
import { version } from '../version.js'
import { observedStorage } from './observed-storage.js'

export type Service = Readonly<{
  url: string
  /** None if ADMIN_PORT is not set. */
  adminUrl: O.Option<string>
  /** Reloads the token file. Logs a warning if API_TOKENS_FILE is not set. */
  reload: () => void
  /** Lets requests in flight finish first. Later calls wait for the first one. */
  stop: () => Promise<void>
}>

/** The longest wait for the preparation of the storage. The service also starts while a database is down. */
const maxPreparationMs = 1000

/** The least time for the storage to close, even if requests used up the grace period. */
const minCloseMs = 2000

/** Starts the service. After a failure, closes everything and rejects with a message for the operator. */
export const startService = async (settings: Settings, log: ServiceLog): Promise<Service> => {
  let state: 'starting' | 'serving' | 'stopping' = 'starting'
  let opening: Promise<Storage> | undefined
  let admin: RunningServer | undefined
  let server: RunningServer | undefined
  let stopped: Promise<void> | undefined

  const closeAll = async (): Promise<void> => {
    const deadline = performance.now() + settings.SHUTDOWN_GRACE_MS
    const remaining = () => Math.max(0, deadline - performance.now())
    await server?.stop(remaining())
    await admin?.stop(remaining())
    const storage = await opening?.catch(() => undefined)
    // a disk may hang
    await Promise.race([storage?.close(), pause(Math.max(remaining(), minCloseMs), undefined, { ref: false })])
  }
  const stop = (): Promise<void> => {
    const delay = state === 'serving' ? settings.DRAIN_DELAY_MS : 0
    state = 'stopping'
    server?.announceStop()
    stopped ??= pause(delay).then(closeAll)
    return stopped
  }

  try {
    const tokenFile = O.isSome(settings.API_TOKENS_FILE)
      ? openTokenFile(settings.API_TOKENS_FILE.value, log)
      : undefined
    const tokens = tokenFile && { tokens: tokenFile.tokens }
    const metrics = O.isSome(settings.ADMIN_PORT) ? (await import('../metrics.js')).createMetrics() : undefined
    opening = storages[settings.STORAGE].open(settings, { users: settings.USERS, log, metrics })
    // the admin port opens first, so that an orchestrator can see that the service is starting
    opening.catch(() => {})
    let storage: Storage | undefined

    /** Left is the reason for the operator. A full storage is ready, because reads and deletes still work. */
    const ready = async (): Promise<E.Either<string, void>> => {
      if (storage === undefined || state !== 'serving') return E.left(`The service is ${state}.`)
      const answer = await storage.check()
      if (E.isLeft(answer)) return E.left('The storage does not answer, or rejects writes: the log has the cause.')
      const isPrepared = await Promise.race([storage.prepared.then(() => true), nextTurn(false)])
      return isPrepared ? E.right(undefined) : E.left('The storage is being prepared.')
    }
    const backup = (): E.Either<Problem, AsyncIterable<string>> => {
      if (storage === undefined) return E.left(problem('not-ready', { detail: 'The service is starting.' }))
      return storage.snapshot === undefined ? E.left(problem('unknown-path')) : E.right(linesOf(storage.snapshot))
    }
    if (metrics !== undefined && O.isSome(settings.ADMIN_PORT)) {
      const { addGauge, addCounter, registry } = metrics
      addGauge('service_ready', '1 while /readyz answers 200, else 0', async () => Number(E.isRight(await ready())))
      addCounter('log_lines_dropped_total', 'Log lines lost because their reader was too slow', log.droppedLines)
      const isForThisService = ownHostsIfLocal(settings.ADMIN_HOST, settings, () => admin)
      const isLocal = () => admin?.isLocal === true
      const app = adminApp({ ready, log, registry, backup, isLocal, isForThisService, ...tokens })
      admin = await listen(app, { host: settings.ADMIN_HOST, port: settings.ADMIN_PORT.value })
    }

    storage = await opening
    const { snippets, users } = metrics ? observedStorage(storage, metrics.observeOperation) : storage
    const logRequest = accessLog(log, settings.ACCESS_LOG)
    const observe: Observe = observation => {
      metrics?.observe(observation)
      logRequest(observation)
    }
    const bodyBytes: BodyBytes = new Places(settings.MAX_BODIES_MB * bytesPerMiB)
    const longResponses = limitLongResponses(settings.MAX_UNSENT_MB * bytesPerMiB)
    const app = createApp({
      version,
      publicUrl: settings.PUBLIC_URL,
      corsOrigins: settings.CORS_ORIGINS,
      useCases: useCases({ snippets, users, clock: { now: Date.now } }),
      observe,
      ...(tokens ?? { isForThisService: ownHostsIfLocal(settings.HOST, settings, () => server) }),
      bodyBytes,
      longResponses,
    })
    await Promise.race([storage.prepared, pause(maxPreparationMs, undefined, { ref: false })])

    const limits = { connections: settings.MAX_CONNECTIONS, idleMs: settings.IDLE_TIMEOUT_MS }
    const { HOST: host, PORT: port } = settings
    server = await listen(app.callback(), { host, port }, limits, observe)
    const { connections, closedConnections, url } = server
    metrics?.addGauge('http_connections', 'Open connections', connections)
    metrics?.addGauge('http_body_bytes', 'Bytes of request bodies over 8 KiB in progress', () => bodyBytes.taken)
    metrics?.addCounter(
      'http_closed_connections_total',
      'Connections closed to make room for others',
      () => closedConnections() + longResponses.closed,
    )
    state = 'serving'
    const noTokens = () => log.warn({}, 'nothing to reload: API_TOKENS_FILE is not set')
    return { url, adminUrl: O.fromNullable(admin?.url), reload: tokenFile?.reload ?? noTokens, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Returns a check of Hosts. It applies while only this machine can reach the server: other names are unknown here. */
const ownHostsIfLocal = (host: string, { PUBLIC_URL }: Settings, server: () => RunningServer | undefined) => {
  const isOwn = ownHosts([host, ...(O.isSome(PUBLIC_URL) ? [new URL(PUBLIC_URL.value).hostname] : [])])
  return (req: IncomingMessage): boolean => server()?.isLocal === false || isOwn(req)
}
