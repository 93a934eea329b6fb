import { problemNames, problemType } from '@snippets/adapters-http/problems.js'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { limitLabels } from '../limit-labels.js'
import { version } from '../version.js'
import type { Metrics } from './metrics.js'
import { observeStores } from './observe-stores.js'

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Creates the metrics of the service. No label contains an id or a text of a snippet. */
export const createMetrics = (): Metrics => {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  new Gauge({ name: 'snippets_build_info', help: 'Always 1', labelNames: ['version'], registers }).set({ version }, 1)
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Seconds from the request to the end of its response',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers,
  })
  const problems = new Counter({
    name: 'http_problems_total',
    help: 'Responses that were problems, by the type in their body and the limit of an overload',
    labelNames: ['type', 'limit'],
    registers,
  })
  // Prometheus misses the first increment of a counter that does not start at 0
  for (const name of problemNames) if (name !== 'overloaded') problems.inc({ type: problemType(name) }, 0)
  for (const limit of Object.values(limitLabels)) problems.inc({ type: problemType('overloaded'), limit }, 0)
  const operations = new Histogram({
    name: 'storage_operation_duration_seconds',
    help: 'Seconds that a storage operation took; each batch of snippets.all counts as an operation',
    labelNames: ['operation', 'result'],
    buckets: [0.0001, ...buckets],
    registers,
  })
  return {
    observe: ({ method, route, status = 'none', problem, limit, seconds }) => {
      requests.observe({ method, route, status }, seconds)
      if (problem !== undefined) problems.inc({ type: problem, ...(limit && { limit: limitLabels[limit] }) })
    },
    observeStores: stores =>
      observeStores(stores, (operation, result, seconds) => operations.observe({ operation, result }, seconds)),
    addGauge: (name, help, read) => {
      const gauge: Gauge = new Gauge({ name, help, registers, collect: async () => gauge.set(await read()) })
    },
    addCounter: (name, help, read) => {
      new Counter({
        name,
        help,
        registers,
        async collect() {
          const total = await read()
          this.reset()
          this.inc(total)
        },
      })
    },
    registry,
  }
}
