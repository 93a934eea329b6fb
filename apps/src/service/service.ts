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
import { errorMessage } from '@snippets/domain/values/error.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { accessLog } from '../logging/access-log.js'
import type { ServiceLog } from '../logging/logger.js'
import type { Metrics } from '../metrics.js'
import { exitConfig } from '../operator-messages.js'
import { bytesPerMiB } from '../settings/setting-parsers.js'
import type { Settings } from '../settings/settings.js'
import { storages } from '../storages/storages.js'
import { openTokenFile, type TokenFile } from '../tokens/token-file.js'
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

/** A message for the operator, and the exit code of the process. */
export type StartFailure = Readonly<{ exitCode: number; message: string }>

/** The running parts of the service, and the values that they share. */
type Parts = Readonly<{
  settings: Settings
  log: ServiceLog
  tokenFile: TokenFile | undefined
  /** Undefined if ADMIN_PORT is not set. */
  metrics: Metrics | undefined
  opening: Promise<E.Either<string, Storage>>
}> & {
  phase: 'starting' | 'serving' | 'stopping'
  storage?: Storage
  admin?: RunningServer
  server?: RunningServer
}

/** Starts the service. After a failure, closes the parts that have started. */
export const startService =
  (settings: Settings, log: ServiceLog): TaskEither<StartFailure, Service> =>
  async () => {
    const tokenFile = pipe(
      settings.API_TOKENS_FILE,
      O.traverse(E.Applicative)(path => openTokenFile(path, log)),
      E.map(O.toUndefined),
    )
    if (E.isLeft(tokenFile)) return E.left(badSettings(tokenFile.left))
    const metrics = O.isSome(settings.ADMIN_PORT) ? (await import('../metrics.js')).createMetrics() : undefined
    const opening = storages[settings.STORAGE].open(settings, { users: settings.USERS, log, metrics })()
    const parts: Parts = { settings, log, tokenFile: tokenFile.right, metrics, opening, phase: 'starting' }
    const stop = stopOnce(parts)
    return pipe(
      // before the storage is open, so that an orchestrator can see that the service is starting
      openAdmin(parts),
      TE.chain(() => pipe(() => opening, TE.mapLeft(badSettings))),
      TE.chain(storage => openPublic(parts, storage)),
      TE.map(({ url }) => {
        parts.phase = 'serving'
        const noTokens = () => log.warn({}, 'nothing to reload: API_TOKENS_FILE is not set')
        return { url, adminUrl: O.fromNullable(parts.admin?.url), reload: parts.tokenFile?.reload ?? noTokens, stop }
      }),
      TE.orElseFirstTaskK(() => stop),
    )()
  }

const badSettings = (message: string): StartFailure => ({ exitCode: exitConfig, message })

/** Listens on a port. Fails if the port is in use, or the host cannot be resolved. */
const listenOn = (...args: Parameters<typeof listen>): TaskEither<StartFailure, RunningServer> =>
  TE.tryCatch(
    () => listen(...args),
    error => ({ exitCode: 1, message: errorMessage(error) }),
  )

/** Opens the admin port, if ADMIN_PORT is set. */
const openAdmin = (parts: Parts): TaskEither<StartFailure, void> => {
  const { settings, log, metrics, tokenFile } = parts
  const { ADMIN_HOST: host, ADMIN_PORT } = settings
  if (metrics === undefined || O.isNone(ADMIN_PORT)) return TE.right(undefined)
  const ready = readiness(parts)
  const isReady = async () => Number(E.isRight(await ready()))
  metrics.addGauge('service_ready', '1 while /readyz answers 200, else 0', isReady)
  metrics.addCounter('log_lines_dropped_total', 'Log lines lost because their reader was too slow', log.droppedLines)
  const app = adminApp({
    ready,
    log,
    registry: metrics.registry,
    backup: () => backupOf(parts),
    isLocal: () => parts.admin?.isLocal === true,
    isForThisService: ownHostsIfLocal(host, settings, () => parts.admin),
    ...(tokenFile && { tokens: tokenFile.tokens }),
  })
  return pipe(
    listenOn(app, { host, port: ADMIN_PORT.value }),
    TE.chainIOK(admin => () => {
      parts.admin = admin
    }),
  )
}

/** Returns the check of readiness. A full storage is ready, because reads and deletes still work. */
const readiness =
  (parts: Parts): TaskEither<string, void> =>
  async () => {
    const { storage, phase } = parts
    if (storage === undefined || phase !== 'serving') return E.left(`The service is ${phase}.`)
    const answer = await storage.check()
    if (E.isLeft(answer)) return E.left('The storage does not answer, or rejects writes: the log has the cause.')
    const isPrepared = await Promise.race([storage.prepared.then(() => true), nextTurn(false)])
    return isPrepared ? E.right(undefined) : E.left('The storage is being prepared.')
  }

const backupOf = ({ storage }: Parts): E.Either<Problem, AsyncIterable<string>> => {
  if (storage === undefined) return E.left(problem('not-ready', { detail: 'The service is starting.' }))
  return storage.snapshot === undefined ? E.left(problem('unknown-path')) : E.right(linesOf(storage.snapshot))
}

/** The longest wait for the preparation of the storage. The service also starts while a database is down. */
const maxPreparationMs = 1000

/** Opens the port of the API, once the storage is prepared or its preparation takes long. */
const openPublic = (parts: Parts, storage: Storage): TaskEither<StartFailure, RunningServer> => {
  const { settings, log, metrics, tokenFile } = parts
  const { HOST: host, PORT: port } = settings
  parts.storage = storage
  const logRequest = accessLog(log, settings.ACCESS_LOG)
  const observe: Observe = observation => {
    metrics?.observe(observation)
    logRequest(observation)
  }
  const bodyBytes: BodyBytes = new Places(settings.MAX_BODIES_MB * bytesPerMiB)
  const longResponses = limitLongResponses(settings.MAX_UNSENT_MB * bytesPerMiB)
  const { snippets, users } = metrics ? observedStorage(storage, metrics.observeOperation) : storage
  const app = createApp({
    version,
    publicUrl: settings.PUBLIC_URL,
    corsOrigins: settings.CORS_ORIGINS,
    useCases: useCases({ snippets, users, clock: { now: Date.now } }),
    observe,
    ...(tokenFile
      ? { tokens: tokenFile.tokens }
      : { isForThisService: ownHostsIfLocal(host, settings, () => parts.server) }),
    bodyBytes,
    longResponses,
  })
  const limits = { connections: settings.MAX_CONNECTIONS, idleMs: settings.IDLE_TIMEOUT_MS }
  return pipe(
    TE.fromTask(() => Promise.race([storage.prepared, pause(maxPreparationMs, undefined, { ref: false })])),
    TE.chain(() => listenOn(app.callback(), { host, port }, limits, observe)),
    TE.map(server => {
      parts.server = server
      metrics?.addGauge('http_connections', 'Open connections', server.connections)
      metrics?.addGauge('http_body_bytes', 'Bytes of request bodies over 8 KiB in progress', () => bodyBytes.taken)
      const closed = () => server.closedConnections() + longResponses.closed
      metrics?.addCounter('http_closed_connections_total', 'Connections closed to make room for others', closed)
      return server
    }),
  )
}

/** Returns a check of Hosts. It applies while only this machine can reach the server: other names are unknown here. */
const ownHostsIfLocal = (host: string, { PUBLIC_URL }: Settings, server: () => RunningServer | undefined) => {
  const isOwn = ownHosts([host, ...(O.isSome(PUBLIC_URL) ? [new URL(PUBLIC_URL.value).hostname] : [])])
  return (authority: string | undefined): boolean => server()?.isLocal === false || isOwn(authority)
}

/** The least time for the storage to close, even if requests used up the grace period. */
const minCloseMs = 2000

/** Returns the function that stops the service. */
const stopOnce = (parts: Parts): Service['stop'] => {
  const { DRAIN_DELAY_MS, SHUTDOWN_GRACE_MS } = parts.settings
  const closeAll = async (): Promise<void> => {
    const deadline = performance.now() + SHUTDOWN_GRACE_MS
    const remaining = () => Math.max(0, deadline - performance.now())
    await parts.server?.stop(remaining())
    await parts.admin?.stop(remaining())
    const storage = await parts.opening
    const closed = E.isRight(storage) ? storage.right.close() : undefined
    // a disk may hang
    await Promise.race([closed, pause(Math.max(remaining(), minCloseMs), undefined, { ref: false })])
  }
  let stopped: Promise<void> | undefined
  return () => {
    const delay = parts.phase === 'serving' ? DRAIN_DELAY_MS : 0
    parts.phase = 'stopping'
    parts.server?.announceStop()
    stopped ??= pause(delay).then(closeAll)
    return stopped
  }
}
