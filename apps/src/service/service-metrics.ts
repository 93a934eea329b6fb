import type { Metrics } from '@snippets/adapters-http/admin/metrics.js'
import type { ByteBudget } from '@snippets/adapters-http/load/byte-budget.js'
import type { LongResponses } from '@snippets/adapters-http/load/long-responses.js'
import type { RunningServer } from '@snippets/adapters-http/server/listen.js'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { ServiceLog } from '../logging/logger.js'
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

/** Adds the metrics of load. */
export const addLoadMetrics = (
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
