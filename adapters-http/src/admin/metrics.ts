import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { Observe } from '../koa/observation.js'

export type Metrics = Readonly<{ observe: Observe; registry: Registry }>

export const createMetrics = (): Metrics => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Seconds from the request to the end of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  return {
    observe: ({ method, route, status, seconds }) =>
      durations.observe({ method, route, status: status ?? 'none' }, seconds),
    registry,
  }
}
