import { statSync } from 'node:fs'
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'

/** Each of them lists every open connection. Four thousand took 8 ms of each look at the metrics, in which nothing is served. */
const lists = [
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_resources',
  'nodejs_active_resources_total',
]

const openFiles = 'process_open_fds'

/** What prom-client knows of the process, among it the delay of the event loop, as far as it is cheap. */
export const showProcess = (registry: Registry): void => {
  collectDefaultMetrics({ register: registry })
  for (const name of lists) registry.removeSingleMetric(name)
  // prom-client reads their names, one by one
  if (countOpenFiles() === 0) return
  registry.removeSingleMetric(openFiles)
  new Gauge({
    name: openFiles,
    help: 'Number of open file descriptors',
    registers: [registry],
    collect() {
      this.set(countOpenFiles())
    },
  })
}

/** 0 before Linux 6.2, and elsewhere. */
const countOpenFiles = (): number => statSync('/proc/self/fd', { throwIfNoEntry: false })?.size ?? 0
