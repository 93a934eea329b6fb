import type { Storage } from '@snippets/domain/ports/storage.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Metrics } from './metrics.js'

/** Adds a metric of backups if the storage has them. Returns the function to call when a backup has been sent. */
export const addBackupMetric = ({ addGauge }: Metrics, opening: Promise<E.Either<unknown, Storage>>): (() => void) => {
  let lastBackupMs = 0
  const help = 'Unix time of the last complete backup since the start, or 0'
  const addTo = ({ snapshot }: Storage) =>
    snapshot && addGauge('backup_last_success_timestamp_seconds', help, () => lastBackupMs / 1000)
  void opening.then(E.map(addTo))
  return () => {
    lastBackupMs = Date.now()
  }
}
