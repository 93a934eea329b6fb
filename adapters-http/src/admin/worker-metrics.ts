import { AggregatorRegistry } from 'prom-client'
import type { MetricsPage } from './admin-pages.js'
import { createMetrics, type Metrics } from './metrics.js'

/** In a worker of node:cluster: metrics that the primary process can ask for. */
export const shareMetrics = (): Metrics => {
  const metrics = createMetrics()
  AggregatorRegistry.setRegistries([metrics.registry])
  // listens to the primary
  new AggregatorRegistry()
  return metrics
}

/** In the primary process: the metrics of all workers, added up. */
export const workerMetrics = (): MetricsPage => {
  const registry = new AggregatorRegistry()
  return { contentType: registry.contentType, metrics: () => registry.clusterMetrics() }
}
