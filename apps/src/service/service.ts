import type { RequestListener } from 'node:http'
import timers from 'node:timers/promises'
import { createAdminApp } from '@snippets/adapters-http/admin/admin-app.js'
import { createApp } from '@snippets/adapters-http/app.js'
import { Budget } from '@snippets/adapters-http/load/budget.js'
import { longResponseBudget } from '@snippets/adapters-http/load/long-responses.js'
import { hostCheck } from '@snippets/adapters-http/middleware/host-check.js'
import type { Observe } from '@snippets/adapters-http/middleware/observe.js'
import type { Token } from '@snippets/adapters-http/middleware/token.js'
import type { BodyBytes } from '@snippets/adapters-http/request/receive-body.js'
import { makeProblem, type Problem } from '@snippets/adapters-http/response/problems.js'
import type { ServerLimits } from '@snippets/adapters-http/server/limits.js'
import { listen, type RunningServer } from '@snippets/adapters-http/server/listen.js'
import type { Log } from '@snippets/application/log.js'
import { useCases } from '@snippets/application/use-cases.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { accessLog } from '../logging/access-log.js'
import type { Metrics } from '../metrics.js'
import { exitConfig } from '../operator-messages.js'
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

/** A message for the operator, and the exit code of the process. */
export type StartFailure = Readonly<{ exitCode: number; message: string }>

/** The longest wait for the preparation of the storage. The service also starts while a database is down. */
const maxPreparationMs = 1000

/** The least time for the storage to close, even if requests used up the grace period. */
const minCloseMs = 2000

/** The values that both servers use. */
type Shared = Readonly<{
  settings: Settings
  log: Log
  /** Undefined if ADMIN_PORT is not set. */
  metrics: Metrics | undefined
  /** Undefined if API_TOKENS_FILE is not set. */
  tokens: (() => readonly Token[]) | undefined
}>

/** The storage, or a sentence that says why the service does not serve requests. */
type Serving = E.Either<string, Storage>

const cannotStart = (message: string): StartFailure => ({ exitCode: exitConfig, message })

/** Starts the parts of the service one after the other. After a failure, closes the parts that have started. */
export const startService = async (settings: Settings, log: Log): Promise<E.Either<StartFailure, Service>> => {
  const tokenFile = pipe(
    settings.API_TOKENS_FILE,
    O.traverse(E.Applicative)(path => openTokenFile(path, log)),
    E.map(O.toUndefined),
  )
  if (E.isLeft(tokenFile)) return E.left(cannotStart(tokenFile.left))
  // without the admin port, the library of the metrics would only cost time and memory
  const metrics = O.isSome(settings.ADMIN_PORT) ? (await import('../metrics.js')).createMetrics() : undefined
  const shared: Shared = { settings, log, metrics, tokens: tokenFile.right?.tokens }

  const opening = storages[settings.STORAGE].open(settings, { users: settings.USERS, log, metrics })()
  const servers: RunningServer[] = []
  const closeAll = () => closeParts(servers, opening, settings.SHUTDOWN_GRACE_MS)
  const abandon = async (failure: StartFailure): Promise<E.Either<StartFailure, never>> => {
    await closeAll()
    return E.left(failure)
  }

  let serving: Serving = E.left('The service is starting.')
  // before the storage is open, so that an orchestrator can see that the service is starting
  const admin = await startAdmin(shared, () => serving)
  if (E.isLeft(admin)) return abandon(admin.left)
  if (admin.right !== undefined) servers.push(admin.right)

  const storage = await opening
  if (E.isLeft(storage)) return abandon(cannotStart(storage.left))
  await Promise.race([storage.right.whenPrepared(), timers.setTimeout(maxPreparationMs, undefined, { ref: false })])

  const api = await startApi(shared, storage.right)
  if (E.isLeft(api)) return abandon(api.left)
  servers.push(api.right)

  serving = E.right(storage.right)
  let stopped: Promise<void> | undefined
  return E.right({
    url: api.right.url,
    adminUrl: O.fromNullable(admin.right?.url),
    reload: tokenFile.right?.reload ?? (() => log.warn({}, 'nothing to reload: API_TOKENS_FILE is not set')),
    stop: () => {
      serving = E.left('The service is stopping.')
      api.right.announceStop()
      stopped ??= timers.setTimeout(settings.DRAIN_DELAY_MS).then(closeAll)
      return stopped
    },
  })
}

/** Stops the servers, the newest first, and closes the storage. */
const closeParts = async (
  servers: readonly RunningServer[],
  opening: Promise<E.Either<unknown, Storage>>,
  graceMs: number,
): Promise<void> => {
  const deadline = performance.now() + graceMs
  const remaining = () => Math.max(0, deadline - performance.now())
  for (const server of servers.toReversed()) await server.stop(remaining())
  const closed = opening.then(storage => (E.isRight(storage) ? storage.right.close() : undefined))
  // a disk may hang, and a large data directory takes long to open
  await Promise.race([closed, timers.setTimeout(Math.max(remaining(), minCloseMs), undefined, { ref: false })])
}

/** Starts the server of the admin port, if ADMIN_PORT is set. */
const startAdmin = async (
  { settings, log, metrics, tokens }: Shared,
  serving: () => Serving,
): Promise<E.Either<StartFailure, RunningServer | undefined>> => {
  const { ADMIN_HOST: host, ADMIN_PORT } = settings
  if (metrics === undefined || O.isNone(ADMIN_PORT)) return E.right(undefined)
  const ready = () => readiness(serving())
  metrics.addGauge('service_ready', '1 while /readyz answers 200, else 0', async () => Number(E.isRight(await ready())))
  const createAdmin = (isLocal: boolean) =>
    createAdminApp({
      ready,
      log,
      registry: metrics.registry,
      backup: () => backupOf(serving()),
      isLocal,
      isKnownHost: hostCheckOf(isLocal, host, settings),
      ...(tokens && { tokens }),
    }).callback()
  return listenOn('ADMIN_', createAdmin, { host, port: ADMIN_PORT.value })
}

/** Checks the readiness. A full storage is ready, because reads and deletes still work. */
const readiness = async (serving: Serving): Promise<E.Either<string, void>> => {
  if (E.isLeft(serving)) return serving
  const { check, whenPrepared } = serving.right
  if (E.isLeft(await check())) return E.left('The storage does not answer, or rejects writes: the log has the cause.')
  const isPrepared = await Promise.race([whenPrepared().then(() => true), timers.setImmediate(false)])
  return isPrepared ? E.right(undefined) : E.left('The storage is being prepared.')
}

/** Opens a backup. While the directory fails, its rows cannot be read. */
const backupOf = async (serving: Serving): Promise<E.Either<Problem, AsyncIterable<string>>> => {
  const notReady = (detail: string) => makeProblem('not-ready', { detail })
  if (E.isLeft(serving)) return E.left(notReady(serving.left))
  const { snapshot } = serving.right
  const detail = 'This storage has no backup here. Set DATA_DIR, or use mongodump on MongoDB.'
  if (snapshot === undefined) return E.left(makeProblem('unknown-path', { detail }))
  return pipe(
    await readiness(serving),
    E.bimap(notReady, () => linesOf(snapshot)),
  )
}

/** Composes the API on the storage, and starts its server. */
const startApi = async (
  { settings, log, metrics, tokens }: Shared,
  storage: Storage,
): Promise<E.Either<StartFailure, RunningServer>> => {
  const { HOST: host, PORT: port, MAX_CONNECTIONS: connections, IDLE_TIMEOUT_MS: idleMs } = settings
  const logRequest = accessLog(log, settings.ACCESS_LOG)
  const observe: Observe = observation => {
    metrics?.observe(observation)
    logRequest(observation)
  }
  const bodyBytes: BodyBytes = new Budget(settings.MAX_BODIES_MB * bytesPerMiB)
  const longResponses = longResponseBudget(settings.MAX_UNSENT_MB * bytesPerMiB)
  const { snippets, users } = metrics ? observedStorage(storage, metrics.observeOperation) : storage
  const createApi = (isLocal: boolean) =>
    createApp({
      version,
      publicUrl: O.getOrElse(() => '')(settings.PUBLIC_URL),
      corsOrigins: settings.CORS_ORIGINS,
      useCases: useCases({ snippets, users, clock: { now: Date.now } }),
      observe,
      ...(tokens ? { tokens } : { isKnownHost: hostCheckOf(isLocal, host, settings) }),
      bodyBytes,
      longResponses,
    }).callback()
  const server = await listenOn('', createApi, { host, port }, { connections, idleMs }, observe)
  if (E.isLeft(server) || metrics === undefined) return server
  const closed = () => server.right.closedConnections() + longResponses.closed
  metrics.addGauge('http_connections', 'Open connections', server.right.connections)
  metrics.addGauge('http_body_bytes', 'Bytes of request bodies that MAX_BODIES_MB counts', () => bodyBytes.reserved)
  metrics.addCounter('http_closed_connections_total', 'Connections closed to make room for others', closed)
  return server
}

/** Listens on a port. Left if the port is in use, or the host cannot be resolved. */
const listenOn = async (
  prefix: '' | 'ADMIN_',
  createListener: (isLocal: boolean) => RequestListener,
  address: Readonly<{ host: string; port: number }>,
  limits?: Partial<ServerLimits>,
  observe?: Observe,
): Promise<E.Either<StartFailure, RunningServer>> => {
  try {
    return E.right(await listen(createListener, address, limits, observe))
  } catch (error) {
    const why = `${prefix}PORT or ${prefix}HOST cannot be used: ${E.toError(error).message}`
    return E.left({ exitCode: 1, message: `${why}. Set another one, or stop the process that uses it.` })
  }
}

/** Returns a check of Hosts. It applies while only this machine can reach the server: other names are unknown here. */
const hostCheckOf = (isLocal: boolean, host: string, { PUBLIC_URL }: Settings) =>
  isLocal ? hostCheck([host, ...(O.isSome(PUBLIC_URL) ? [new URL(PUBLIC_URL.value).hostname] : [])]) : () => true
