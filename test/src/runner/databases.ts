import { type StorageName, storageNames } from '@snippets/apps/storages/storages.js'
import { startMongo } from './mongo-container.js'

type Database = Readonly<{
  name: string
  /** The variables that tell the tests its URL, and whether the run started it. */
  variables: Readonly<{ url: string; own: string }>
  /** The variable that makes a run without the database fail. */
  required: string
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
    variables: { url: 'MONGODB_URL', own: 'OWN_MONGO' },
    required: 'REQUIRE_MONGO',
    kind: 'a replica set',
    start: startMongo,
  },
}

const isWanted = process.env.WITHOUT_DATABASES !== '1'

/** Starts the database, unless the variable names one. The tests on it are left out if that fails. */
const openDatabase = async (folder: StorageName, { name, variables, required, kind, start }: Database) => {
  const isRequired = process.env[required] === '1'
  const given = process.env[variables.url]
  const own =
    isWanted && !given ? await start().catch(error => console.log(`Cannot start ${name}: ${error.message}`)) : undefined
  const url = isWanted ? given || own?.url : undefined
  const leftOut = `The tests on ${name} are left out${isRequired ? `, although ${required}=1` : ''}.`
  return {
    folder,
    isLacking: isRequired && url === undefined,
    notes: url === undefined ? [`${leftOut} To run them, start Docker, or set ${variables.url} to ${kind}.`] : [],
    // a container of the run's own shows that tests can start further ones
    environment: { [variables.url]: url, [variables.own]: own && '1' },
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
