import { problemNames, problemType } from '@snippets/adapters-http/formats/problems.js'
import type { ListError, StorageError } from '@snippets/domain/ports/errors.js'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { limitLabels } from '../logging/access-log.js'
import { version } from '../version.js'
import type { Metrics, Stores } from './metrics.js'

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
      timeStores(stores, (operation, result, seconds) => operations.observe({ operation, result }, seconds)),
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

/** Takes a completed operation of a store. Its result is `ok`, or the kind of its error. */
type ObserveOperation = (operation: string, result: string, seconds: number) => void

/** Wraps the stores: calls `observe` when an operation ends. */
const timeStores = ({ snippets, users }: Stores, observe: ObserveOperation): Stores => {
  const timed =
    <Err extends StorageError, A>(operation: string, task: TaskEither<Err, A>): TaskEither<Err, A> =>
    async () => {
      const started = performance.now()
      const result = await task()
      observe(operation, resultLabel(result), (performance.now() - started) / 1000)
      return result
    }
  return {
    snippets: {
      create: draft => timed('snippets.create', snippets.create(draft)),
      createOnce: (draft, keyed) => timed('snippets.create', snippets.createOnce(draft, keyed)),
      get: id => timed('snippets.get', snippets.get(id)),
      update: (...args) => timed('snippets.update', snippets.update(...args)),
      delete: (id, expected) => timed('snippets.delete', snippets.delete(id, expected)),
      page: query => timed('snippets.page', snippets.page(query)),
      all: () => timedBatches(snippets.all(), observe),
    },
    users: {
      get: id => timed('users.get', users.get(id)),
      page: window => timed('users.page', users.page(window)),
    },
  }
}

/** Times each batch alone. The time between batches belongs to the client. */
async function* timedBatches<A>(
  batches: AsyncIterable<E.Either<ListError, A>>,
  observe: ObserveOperation,
): AsyncGenerator<E.Either<ListError, A>> {
  let started = performance.now()
  for await (const batch of batches) {
    observe('snippets.all', resultLabel(batch), (performance.now() - started) / 1000)
    yield batch
    started = performance.now()
  }
}

/** Returns `ok`, or the kind of the error, such as `not-found`. */
const resultLabel = (result: E.Either<StorageError, unknown>): string => {
  if (E.isRight(result)) return 'ok'
  const error = result.left
  if (error._tag === 'Unavailable' && error.outcome === 'unknown') return 'outcome-unknown'
  return error._tag.replace(/\B[A-Z]/g, '-$&').toLowerCase()
}
