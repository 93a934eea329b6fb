import type { Observe } from '@snippets/adapters-http/middleware/create-app.js'
import type { Storage } from '@snippets/domain/ports/storage.js'

export type Stores = Pick<Storage, 'snippets' | 'users'>

export type Metrics = Readonly<{
  observe: Observe
  /** Wraps the stores to count and time their operations. */
  observeStores: (stores: Stores) => Stores
  /** Adds a gauge that is read at each scrape of `/metrics`. */
  addGauge: AddMetric
  /** Adds a counter that is read at each scrape of `/metrics`. */
  addCounter: AddMetric
  /** The part of a registry that `/metrics` needs. */
  registry: Readonly<{ contentType: string; metrics: () => Promise<string> }>
}>

type AddMetric = (name: string, help: string, read: () => number | Promise<number>) => void

/** The metrics without ADMIN_PORT. Nothing reads them, and loading prom-client would only cost time and memory. */
export const noMetrics: Metrics = {
  observe: () => {},
  observeStores: stores => stores,
  addGauge: () => {},
  addCounter: () => {},
  registry: { contentType: 'text/plain', metrics: async () => '' },
}
