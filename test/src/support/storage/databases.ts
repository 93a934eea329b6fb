import type { StorageName, StorageSettings } from '@snippets/apps/settings/storage-settings.js'
import { freshDatabase } from '../mongo/database.js'

type Database = Readonly<{
  /** The setting of its URL. */
  setting: keyof StorageSettings
  /** Why each of these URLs is invalid. The password is `s3cret`. */
  invalidUrls: Readonly<Record<string, string>>
  /** URLs that no server answers, with the password `s3cret`. */
  unreachableUrls: readonly string[]
  /** Creates an empty database on a server. */
  freshDatabase: (engine: string) => Readonly<{ url: string; drop: () => Promise<void> }>
}>

const invalidScheme = 'Invalid scheme, expected connection string to start with "mongodb://" or "mongodb+srv://"'

/** The database of each storage that needs one, for the tests of `apps`. */
export const databases: Readonly<Record<Exclude<StorageName, 'memory'>, Database>> = {
  mongo: {
    setting: 'MONGODB_URL',
    invalidUrls: {
      'http://user:s3cret@h': invalidScheme,
      'mongodb://user:s3cret@/db': 'Protocol and host list are required in the uri',
      'mongodb://user:s3cret@h:99999': 'Unable to parse h:99999 with URL',
      'mongodb://user:s3:cret@h': 'Password contains unescaped characters',
      'mongodb://user:s3@cret@h': 'Invalid connection string',
      'mongodb://user:s3cret@h/?bogus=s3cret': 'option bogus is not supported',
    },
    unreachableUrls: [
      'mongodb://joe:s3cret@127.0.0.1:1/x?serverSelectionTimeoutMS=50',
      'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=50&proxyPassword=s3cret',
      'mongodb:/joe:s3cret@h/x',
    ],
    freshDatabase,
  },
}
