import { setTimeout as pause } from 'node:timers/promises'
import { type AdminServer, serveAdmin } from '@snippets/adapters-http/admin/serve-admin.js'
import { serveApi } from '@snippets/adapters-http/serve-api.js'
import type { Server } from '@snippets/adapters-http/server/listen.js'
import { createUseCases } from '@snippets/application/use-cases.js'
import type { Log } from '@snippets/domain/ports/log.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import * as A from 'fp-ts/lib/Array.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { exitConfig } from '../exit.js'
import { createAccessLog } from '../logging/access-log.js'
import { type Metrics, noMetrics } from '../metrics/metrics.js'
import { bytesPerMiB } from '../settings/setting-parsers.js'
import type { Settings } from '../settings/settings.js'
import { storages } from '../storages/storages.js'
import { createReloadableTokens, type ReloadableTokens } from '../tokens/token-file.js'
import { linesOf } from '../transfer/ndjson.js'
import { version } from '../version.js'

export type Service = Readonly<{
  url: string
  /** Undefined if ADMIN_PORT is not set. */
  adminUrl: string | undefined
  /** Tells which ports only this machine can reach. True for a port that is not open. */
  localPorts: Readonly<{ api: boolean; admin: boolean }>
  /** Reloads the token file. Logs a warning if API_TOKENS_FILE is not set. */
  reload: () => void
  /** Lets requests in flight finish within SHUTDOWN_GRACE_MS. Later calls wait for the first one. */
  stop: () => Promise<unknown>
  /** Closes only the storage. Tells whether it closed in time. */
  closeStorage: () => Promise<boolean>
}>

/** A message for the operator, and the exit code of the process. `mayExit`: `process.exit` would not hang. */
export type StartFailure = Readonly<{ exitCode: number; message: string; mayExit: boolean }>

/** The longest wait for the preparation of the storage. The service also starts while a database is down. */
const maxPreparationMs = 1000

/** The least time for the storage to close, even if requests used up the grace period. */
const minCloseMs = 2000

/** Opens the storage, the admin port and the API. After a failure, closes what it opened. */
export const startService = async (settings: Settings, log: Log): Promise<E.Either<StartFailure, Service>> => {
  const metrics = O.isSome(settings.ADMIN_PORT) ? (await import('../metrics/prometheus.js')).createMetrics() : noMetrics
  const { tokens, reload } = createReloadableTokens(settings.API_TOKENS_FILE, { log, metrics })
  const parts = { settings, log, metrics, tokens }
  const status: Status = { storage: E.left('The service is starting.'), isPrepared: false }
  const opening = storages[settings.STORAGE].open(settings, parts)()
  const close = (...servers: Servers) => closeAll(servers, opening, settings.SHUTDOWN_GRACE_MS)
  const failAfter = async (exitCode: number, message: string, ...servers: Servers) =>
    E.left({ exitCode, message, mayExit: await close(...servers) })

  // before the storage is open, so that an orchestrator can see that the service is starting
  const admin = await openAdmin(parts, status)
  if (E.isLeft(admin)) return failAfter(1, admin.left)
  const storage = await opening
  if (E.isLeft(storage)) return failAfter(exitConfig, storage.left, admin.right)
  const preparing = storage.right.whenPrepared().then(() => {
    status.isPrepared = true
  })
  await Promise.race([preparing, pause(maxPreparationMs)])
  const api = await openApi(parts, storage.right)
  if (E.isLeft(api)) return failAfter(1, api.left, admin.right)
  addMetrics(parts, storage.right, admin.right, api.right)
  status.storage = storage

  let stopped: Promise<unknown> | undefined
  return E.right({
    url: api.right.url,
    adminUrl: admin.right?.url,
    localPorts: { api: api.right.isLocal, admin: admin.right?.isLocal ?? true },
    reload,
    stop: () => {
      status.storage = E.left('The service is stopping.')
      api.right.announceStop()
      stopped ??= pause(settings.DRAIN_DELAY_MS).then(() => close(api.right, admin.right))
      return stopped
    },
    closeStorage: () => closeWithin(opening, minCloseMs),
  })
}

/** The state that the admin port shows. Left is a sentence that says why the service does not serve the storage. */
type Status = { storage: E.Either<string, Storage>; isPrepared: boolean }

/** The parts of the service that its servers use. */
type Parts = Readonly<{ settings: Settings; log: Log; metrics: Metrics; tokens: ReloadableTokens['tokens'] }>

const hostsOf = ({ HOST, PUBLIC_URL }: Settings): readonly string[] => [
  HOST,
  ...A.fromOption(PUBLIC_URL).map(url => new URL(url).hostname),
]

type Opening<A> = Promise<E.Either<string, A>>

/** Opens the admin port, if there is one. Left is a message for the operator. */
const openAdmin = async (
  { settings, log, metrics, tokens }: Parts,
  status: Status,
): Opening<AdminServer | undefined> => {
  const { ADMIN_HOST, ADMIN_PORT } = settings
  if (O.isNone(ADMIN_PORT)) return E.right(undefined)
  const ready = checkReadiness(status)
  const readiness = async () => Number(E.isRight(await ready()))
  metrics.addGauge('service_ready', '1 while /readyz answers 200, else 0', readiness)
  const backup = () => E.map(({ snapshot }: Storage) => snapshot && linesOf(snapshot))(status.storage)
  const address = { host: ADMIN_HOST, port: ADMIN_PORT.value }
  const options = {
    address,
    hosts: [ADMIN_HOST, ...hostsOf(settings)],
    ready,
    log,
    registry: metrics.registry,
    backup,
    tokens,
  }
  return whenOpen('ADMIN_PORT or ADMIN_HOST', serveAdmin(options))
}

/** Tells whether the storage is ready. A full storage is ready, because reads and deletes still work. */
const checkReadiness =
  (status: Status): TE.TaskEither<string, void> =>
  async () => {
    const { storage } = status
    if (E.isLeft(storage)) return storage
    if (E.isLeft(await storage.right.check()))
      return E.left('The storage does not answer, or rejects writes: the log has the cause.')
    return status.isPrepared ? E.right(undefined) : E.left('The storage is being prepared.')
  }

/** Opens the API on a storage. Left is a message for the operator. */
const openApi = async ({ settings, log, metrics, tokens }: Parts, storage: Storage): Opening<Server> => {
  const { snippets, users } = metrics.observeStores(storage)
  const logRequest = createAccessLog(log, settings.ACCESS_LOG)
  return whenOpen(
    'PORT or HOST',
    serveApi({
      address: { host: settings.HOST, port: settings.PORT },
      hosts: hostsOf(settings),
      limits: {
        connections: settings.MAX_CONNECTIONS,
        idleMs: settings.IDLE_TIMEOUT_MS,
        bodyBytes: settings.MAX_BODIES_MB * bytesPerMiB,
        unsentBytes: settings.MAX_UNSENT_MB * bytesPerMiB,
      },
      version,
      publicUrl: O.getOrElse(() => '')(settings.PUBLIC_URL),
      corsOrigins: settings.CORS_ORIGINS,
      useCases: createUseCases({ snippets, users, clock: { now: Date.now } }),
      observe: observation => {
        metrics.observe(observation)
        logRequest(observation)
      },
      tokens,
    }),
  )
}

/** Adds the metrics of the servers. `service_ready` exists earlier, so that it is 0 during the start. */
const addMetrics = (
  { settings, metrics: { addGauge, addCounter } }: Parts,
  { snapshot }: Storage,
  admin: AdminServer | undefined,
  { connections, bodyBytes, evictedConnections }: Server,
): void => {
  const lastBackupHelp = 'Unix time of the last complete backup since the start, or 0'
  if (snapshot && admin)
    addGauge('backup_last_success_timestamp_seconds', lastBackupHelp, () => admin.lastBackupMs() / 1000)
  addGauge('http_connections', 'Open connections', connections)
  addGauge('http_connections_limit', 'MAX_CONNECTIONS', () => settings.MAX_CONNECTIONS)
  addGauge('http_body_bytes', 'Bytes of request bodies that MAX_BODIES_MB counts', bodyBytes)
  addCounter('http_closed_connections_total', 'Connections closed to make room for others', evictedConnections)
}

/** Waits for a server. Left names the settings to change if the port is in use, or the host cannot be resolved. */
const whenOpen = <S>(settingsToChange: string, server: Promise<S>): Opening<S> =>
  TE.tryCatch(
    () => server,
    error =>
      `${settingsToChange} cannot be used: ${E.toError(error).message}. Set another one, or stop the process that uses it.`,
  )()

/** The open servers, the newest first. */
type Servers = readonly (Server | undefined)[]

/** Stops the servers one after the other, and closes the storage. Tells whether the storage closed in time. */
const closeAll = async (servers: Servers, opening: Opening<Storage>, graceMs: number): Promise<boolean> => {
  const deadline = performance.now() + graceMs
  const remaining = () => Math.max(0, deadline - performance.now())
  for (const server of servers) await server?.stop(remaining())
  return closeWithin(opening, Math.max(remaining(), minCloseMs))
}

/** Closes the storage. Does not wait for ever: a disk may hang, and a large data directory takes long to open. */
const closeWithin = (opening: Opening<Storage>, ms: number): Promise<boolean> => {
  const closed = opening.then(async storage => E.isLeft(storage) || E.isRight(await storage.right.close()))
  return Promise.race([closed, pause(ms, false)])
}
