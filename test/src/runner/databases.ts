import { type StorageName, type StorageSettings, storageNames } from '@snippets/apps/settings/storage-settings.js'
import { startMongo } from './mongo-container.js'

type Database = Readonly<{
  name: string
  /** The setting that tells the tests its URL. */
  url: keyof StorageSettings
  /** The database that a URL must name. */
  kind: string
  /** Starts a database for a run of the tests. Returns undefined if no Docker engine answers. */
  start: () => Promise<Readonly<{ url: string; stop: () => Promise<void> }> | undefined>
}>

/** The database of each storage whose tests need one. Its tests of kills and outages run alone. */
const databases: Readonly<Record<StorageName, Database | undefined>> = {
  memory: undefined,
  mongo: {
    name: 'MongoDB',
    url: 'MONGODB_URL',
    kind: 'a replica set',
    start: startMongo,
  },
}

const isWanted = process.env.WITHOUT_DATABASES !== '1'

/** Starts the database, unless the setting names one. The tests on it are left out if that fails. */
const openDatabase = async (folder: StorageName, { name, url: setting, kind, start }: Database) => {
  const demand = `REQUIRE_${folder.toUpperCase()}`
  const isRequired = process.env[demand] === '1'
  const given = process.env[setting]
  const own =
    isWanted && !given ? await start().catch(error => console.log(`Cannot start ${name}: ${error.message}`)) : undefined
  const url = isWanted ? given || own?.url : undefined
  const leftOut = `The tests on ${name} are left out${isRequired ? `, although ${demand}=1` : ''}.`
  return {
    folder,
    isLacking: isRequired && url === undefined,
    notes: url === undefined ? [`${leftOut} To run them, start Docker, or set ${setting} to ${kind}.`] : [],
    // a container of the run's own shows that tests can start further ones
    environment: { [setting]: url, [`OWN_${folder.toUpperCase()}`]: own && '1' },
    stop: async () => own?.stop(),
  }
}

/** Opens the databases one after the other, because each start takes much of the machine. */
export const openDatabases = async () => {
  const opened: Awaited<ReturnType<typeof openDatabase>>[] = []
  for (const storage of storageNames) {
    const database = databases[storage]
    if (database !== undefined) opened.push(await openDatabase(storage, database))
  }
  return opened
}
