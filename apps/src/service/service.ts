import { setTimeout as pause } from 'node:timers/promises'
import { serveAdmin } from '@snippets/adapters-http/admin/admin-app.js'
import { serveApi } from '@snippets/adapters-http/app.js'
import type { Server } from '@snippets/adapters-http/server/listen.js'
import { createUseCases } from '@snippets/application/use-cases.js'
import type { Log } from '@snippets/domain/ports/log.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { exitConfig } from '../exit.js'
import { createAccessLog } from '../logging/access-log.js'
import { noMetrics } from '../metrics/metrics.js'
import { bytesPerMiB } from '../setting-parsers.js'
import type { Settings } from '../settings/settings.js'
import { storages } from '../storages/storages.js'
import { createTokenStore } from '../tokens/token-store.js'
import { linesOf } from '../transfer/ndjson.js'
import { version } from '../version.js'
import { createReadyStorage } from './readiness.js'

export type Service = Readonly<{
  url: string
  /** None if ADMIN_PORT is not set. */
  adminUrl: O.Option<string>
  /** Tells which ports only this machine can reach. True for a port that is not open. */
  isLocal: Readonly<{ api: boolean; admin: boolean }>
  /** Reloads the token file. Logs a warning if API_TOKENS_FILE is not set. */
  reload: () => void
  /** Lets requests in flight finish within SHUTDOWN_GRACE_MS. Later calls wait for the first one. */
  stop: () => Promise<void>
}>

/** A message for the operator, and the exit code of the process. */
export type StartFailure = Readonly<{ exitCode: number; message: string }>

/** The longest wait for the preparation of the storage. The service also starts while a database is down. */
const maxPreparationMs = 1000

/** The least time for the storage to close, even if requests used up the grace period. */
const minCloseMs = 2000

/** Composes the service and starts its parts one after the other. After a failure, closes the started parts. */
export const startService = async (settings: Settings, log: Log): Promise<E.Either<StartFailure, Service>> => {
  const { HOST, PORT, ADMIN_HOST, ADMIN_PORT, SHUTDOWN_GRACE_MS, DRAIN_DELAY_MS } = settings
  const publicUrl = O.getOrElse(() => '')(settings.PUBLIC_URL)
  const { tokens, reload } = createTokenStore(settings.API_TOKENS_FILE, log)
  const metrics = O.isSome(ADMIN_PORT) ? (await import('../metrics/prometheus.js')).createMetrics() : noMetrics

  const opening = storages[settings.STORAGE].open(settings, { log, metrics })()
  const servers: Server[] = []
  const close = () => closeParts(servers, opening, SHUTDOWN_GRACE_MS)
  const abandon = async (exitCode: number, message: string): Promise<E.Either<StartFailure, never>> => {
    await close()
    return E.left({ exitCode, message })
  }

  let serving: E.Either<string, Storage> = E.left('The service is starting.')
  const ready = createReadyStorage(() => serving)
  let adminUrl: O.Option<string> = O.none
  let isAdminLocal = true
  let lastBackupMs = 0
  // before the storage is open, so that an orchestrator can see that the service is starting
  if (O.isSome(ADMIN_PORT)) {
    const address = { host: ADMIN_HOST, port: ADMIN_PORT.value }
    const hosts = [HOST, ADMIN_HOST, ...(publicUrl === '' ? [] : [new URL(publicUrl).hostname])]
    const { registry } = metrics
    const backup = TE.map(({ snapshot }: Storage) => snapshot && linesOf(snapshot))(ready)
    const onBackup = () => {
      lastBackupMs = Date.now()
    }
    const admin = await opened(serveAdmin(address, hosts, { ready, log, registry, backup, tokens, onBackup }))
    if (E.isLeft(admin)) return abandon(1, `ADMIN_PORT or ADMIN_HOST ${admin.left}`)
    servers.push(admin.right)
    adminUrl = O.some(admin.right.url)
    isAdminLocal = admin.right.isLocal
    const isReady = async () => Number(E.isRight(await ready()))
    metrics.addGauge('service_ready', '1 while /readyz answers 200, else 0', isReady)
  }

  const storage = await opening
  if (E.isLeft(storage)) return abandon(exitConfig, storage.left)
  const backupHelp = 'Unix time of the last complete backup since the start, or 0'
  if (storage.right.snapshot)
    metrics.addGauge('backup_last_success_timestamp_seconds', backupHelp, () => lastBackupMs / 1000)
  await Promise.race([storage.right.whenPrepared(), pause(maxPreparationMs)])

  const { snippets, users } = metrics.observeStores(storage.right)
  const logRequest = createAccessLog(log, settings.ACCESS_LOG)
  const api = await opened(
    serveApi({
      address: { host: HOST, port: PORT },
      limits: {
        connections: settings.MAX_CONNECTIONS,
        idleMs: settings.IDLE_TIMEOUT_MS,
        bodyBytes: settings.MAX_BODIES_MB * bytesPerMiB,
        unsentBytes: settings.MAX_UNSENT_MB * bytesPerMiB,
      },
      version,
      publicUrl,
      corsOrigins: settings.CORS_ORIGINS,
      useCases: createUseCases({ snippets, users, clock: { now: Date.now } }),
      observe: observation => {
        metrics.observe(observation)
        logRequest(observation)
      },
      tokens,
    }),
  )
  if (E.isLeft(api)) return abandon(1, `PORT or HOST ${api.left}`)
  servers.push(api.right)
  const { url, isLocal, connections, closedConnections, bodyBytes, announceStop } = api.right
  metrics.addGauge('http_connections', 'Open connections', connections)
  metrics.addGauge('http_connections_limit', 'MAX_CONNECTIONS', () => settings.MAX_CONNECTIONS)
  metrics.addGauge('http_body_bytes', 'Bytes of request bodies that MAX_BODIES_MB counts', bodyBytes)
  metrics.addCounter('http_closed_connections_total', 'Connections closed to make room for others', closedConnections)

  serving = storage
  let stopped: Promise<void> | undefined
  return E.right({
    url,
    adminUrl,
    isLocal: { api: isLocal, admin: isAdminLocal },
    reload,
    stop: () => {
      serving = E.left('The service is stopping.')
      announceStop()
      stopped ??= pause(DRAIN_DELAY_MS).then(close)
      return stopped
    },
  })
}

/** Waits for a server. Left if the port is in use, or the host cannot be resolved. */
const opened = <S extends Server>(opening: Promise<S>): Promise<E.Either<string, S>> =>
  pipe(
    TE.tryCatch(() => opening, E.toError),
    TE.mapLeft(({ message }) => `cannot be used: ${message}. Set another one, or stop the process that uses it.`),
  )()

/** Stops the servers, the newest first, and closes the storage. */
const closeParts = async (
  servers: readonly Server[],
  opening: Promise<E.Either<unknown, Storage>>,
  graceMs: number,
): Promise<void> => {
  const deadline = performance.now() + graceMs
  const remaining = () => Math.max(0, deadline - performance.now())
  for (const server of servers.toReversed()) await server.stop(remaining())
  const closed = opening.then(storage => (E.isRight(storage) ? storage.right.close() : undefined))
  // does not wait for ever: a disk may hang, and a large data directory takes long to open
  await Promise.race([closed, pause(Math.max(remaining(), minCloseMs))])
}
