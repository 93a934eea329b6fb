import type { RowResult, RowTarget } from '@snippets/domain/ports/row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { StorageEntry } from './storage-entry.js'

const openRows =
  (url: string): RowResult<RowTarget> =>
  async () =>
    (await import('@snippets/adapters-mongo/mongo-rows.js')).openMongoRows(url)()

export const mongo: StorageEntry = {
  location: () => 'MongoDB',
  open: ({ MONGODB_URL, USERS: users }, { log, metrics }) =>
    TE.tryCatch(
      async () => {
        const { openMongoStorage } = await import('@snippets/adapters-mongo/mongo-storage.js')
        const storage = openMongoStorage({ url: O.getOrElse(() => '')(MONGODB_URL), users, log })
        const { queued, corruptRows } = storage
        metrics.addGauge('storage_queued_operations', 'Unbatched operations that wait for MongoDB', queued)
        metrics.addCounter('storage_malformed_rows_total', 'How often lists left out a corrupt row', corruptRows)
        return storage
      },
      // the driver validates the URL; its messages hold no password
      error => `MONGODB_URL cannot be used: ${E.toError(error).message}.`,
    ),
  rowAccess: {
    addressKind: 'a mongodb:// URL',
    isAddress: text => /^mongodb(\+srv)?:/i.test(text),
    openSource: openRows,
    openTarget: openRows,
  },
}
