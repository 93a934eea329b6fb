import type { Metrics } from '@snippets/adapters-http/admin/metrics.js'
import type { ByteBudget } from '@snippets/adapters-http/load/byte-budget.js'
import type { RunningServer } from '@snippets/adapters-http/server/listen.js'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { ServiceLog } from '../logging/logger.js'
import { bytesPerMiB } from '../settings/setting-parsers.js'
import type { Settings } from '../settings/settings.js'
import { version } from '../version.js'

/** Creates the metrics. Loads prom-client only when it is called. */
export const loadMetrics = async (): Promise<Metrics> =>
  (await import('@snippets/adapters-http/admin/metrics.js')).createMetrics(version)

/** Adds the metrics that exist while the storage is opening. */
export const addProcessMetrics = (
  { addGauge, addCounter }: Metrics,
  ready: TaskEither<string, void>,
  { droppedLines }: ServiceLog,
): void => {
  addGauge('service_ready', '1 while /readyz answers 200, else 0', async () => Number(E.isRight(await ready())))
  addCounter('log_lines_dropped_total', 'Log lines lost because their reader was too slow', droppedLines)
}

/** Adds the metrics of load: limits, their use, queued requests and disconnected clients. */
export const addLoadMetrics = (
  { addGauge, addCounter }: Metrics,
  { MAX_UNSENT_MB, MAX_CONNECTIONS, MAX_REQUESTS }: Settings,
  { unsentBytes, connections, queuedRequests, disconnected }: RunningServer,
  { bodyBudget, longResponseBudget }: Readonly<Record<'bodyBudget' | 'longResponseBudget', ByteBudget>>,
): void => {
  addGauge('http_unsent_bytes', 'Bytes of responses that the kernel has not taken yet', unsentBytes)
  addGauge('http_unsent_bytes_limit', 'MAX_UNSENT_MB in bytes', () => MAX_UNSENT_MB * bytesPerMiB)
  addGauge('http_connections', 'Open connections', connections)
  addGauge('http_connections_limit', 'MAX_CONNECTIONS', () => MAX_CONNECTIONS)
  addGauge('http_requests_in_flight_limit', 'MAX_REQUESTS', () => MAX_REQUESTS)
  addGauge('http_body_bytes', 'Bytes of request bodies in progress', bodyBudget.taken)
  addGauge('http_body_bytes_limit', 'MAX_BODIES_MB in bytes', () => bodyBudget.maxBytes)
  addGauge('http_long_response_bytes', 'Bytes of text in long responses in progress', longResponseBudget.taken)
  addGauge('http_long_response_bytes_limit', 'MAX_UNSENT_MB in bytes', () => longResponseBudget.maxBytes)
  addGauge('http_queued_requests', 'Pipelined requests that wait for the responses ahead of theirs', queuedRequests)
  const disconnects =
    'Clients disconnected because they queued too much, stalled, read too slowly or had the most unsent bytes'
  addCounter('http_disconnected_clients_total', disconnects, disconnected)
}
