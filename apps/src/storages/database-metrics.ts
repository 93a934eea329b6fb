import type { Metrics } from '../metrics/metrics.js'

/** Adds the metrics of every storage on a database. */
export const addDatabaseMetrics = (
  { addGauge, addCounter }: Metrics,
  database: string,
  { queued, corruptRows }: Readonly<{ queued: () => number; corruptRows: () => number }>,
): void => {
  addGauge('storage_queued_operations', `Unbatched operations that wait for ${database}`, queued)
  addCounter('storage_malformed_rows_total', 'How often lists left out a corrupt row', corruptRows)
}
