import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Observe } from '../koa/observation.js'
import type { Load } from '../server/admission.js'
import { version } from '../version.js'
import { showProcess } from './process-metrics.js'
import { QuickHistogram } from './quick-histogram.js'

/** One operation of a storage, when it has ended. */
export type StorageOperation = Readonly<{ operation: string; outcome: string; seconds: number }>

export type Metrics = Readonly<{
  observe: Observe
  observeOperation: (operation: StorageOperation) => void
  /** How many operations a storage ran as one. */
  observeBatch: (operation: string, size: number) => void
  /** Shows what a server is doing. */
  showLoad: (load: () => Load) => void
  /** Shows a number that is kept elsewhere. */
  show: (name: string, help: string, read: () => number) => void
  registry: Registry
}>

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** No label holds an id or a text of a snippet. */
export const createMetrics = (): Metrics => {
  const registry = new Registry()
  const registers = [registry]
  showProcess(registry)
  showBuild(registry)
  const requests = new QuickHistogram({
    name: 'http_request_duration_seconds',
    help: 'Seconds from the request to the end of its response',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers,
  })
  const show: Metrics['show'] = (name, help, read) => showNumber(registry, { name, help, read })
  return {
    observe: ({ method, route, status = 'none', seconds }) =>
      requests.count(`${status} ${method} ${route}`, { method, route, status }, seconds),
    ...storageMetrics(registry),
    show,
    showLoad: load => showServer(registry, show, load),
    registry,
  }
}

const showBuild = (registry: Registry): void => {
  new Gauge({
    name: 'snippets_build_info',
    help: 'Always 1; the versions are in the labels',
    labelNames: ['version', 'node_version'],
    // of several workers one is enough
    aggregator: 'first',
    registers: [registry],
  }).set({ version, node_version: process.version }, 1)
}

const storageMetrics = (registry: Registry): Pick<Metrics, 'observeOperation' | 'observeBatch'> => {
  const operations = new QuickHistogram({
    name: 'storage_operation_duration_seconds',
    help: 'Seconds that an operation of the storage took; of snippets.all each batch is one',
    labelNames: ['operation', 'outcome'],
    buckets: [0.0001, ...buckets],
    registers: [registry],
  })
  const batches = new Histogram({
    name: 'storage_batch_size',
    help: 'How many operations the storage ran as one command',
    labelNames: ['operation'],
    buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500],
    registers: [registry],
  })
  return {
    observeOperation: ({ operation, outcome, seconds }) =>
      operations.count(`${operation} ${outcome}`, { operation, outcome }, seconds),
    observeBatch: (operation, size) => batches.observe({ operation }, size),
  }
}

const showServer = (registry: Registry, show: Metrics['show'], load: () => Load): void => {
  show('http_requests_in_flight', 'Requests whose response has not ended', () => load().inFlight)
  show('http_requests_waiting', 'Requests that wait to be begun', () => load().waiting)
  show('http_unsent_bytes', 'Bytes of responses that the kernel has not taken yet', () => load().unsentBytes)
  new Counter({
    name: 'http_requests_shed_total',
    help: 'Requests that got 503 before a route saw them',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(load().shed)
    },
  })
}

type ShownNumber = Readonly<{ name: string; help: string; read: () => number }>

const showNumber = (registry: Registry, { read, ...described }: ShownNumber): void => {
  new Gauge({
    ...described,
    registers: [registry],
    collect() {
      this.set(read())
    },
  })
}
