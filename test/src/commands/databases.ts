import type { Environment, StorageName } from '@snippets/apps/settings/settings.js'
import { keys } from 'fp-ts/lib/Record.js'
import { startMongo } from './mongo-container.js'

/** A database that the tests of a storage need. */
type TestDatabase = Readonly<{
  title: string
  /** The variable with its URL. */
  variable: string
  /** Starts the database. Resolves to undefined if this machine cannot run it, as without Docker. */
  start: () => Promise<StartedDatabase | undefined>
  /** The advice to a developer whose run lacks the database. */
  remedy: string
}>

export type StartedDatabase = Readonly<{ url: string; stop: () => Promise<void> }>

/** By storage. A storage without a database is absent. */
const databases = {
  mongo: {
    title: 'MongoDB',
    variable: 'MONGODB_URL',
    start: startMongo,
    remedy: 'start Docker, or set MONGODB_URL to a replica set',
  },
} as const satisfies Partial<Record<StorageName, TestDatabase>>

const cannotStart = (title: string, error: unknown) =>
  console.log(`Cannot start ${title}: ${error instanceof Error ? error.message : error}`)

/**
 * Starts each database whose URL is not set, and prints a line if its tests are left out. `WITHOUT_DATABASES=1` leaves
 * out the tests on all of them. With `REQUIRE_MONGO=1` the run fails without MongoDB: `lacking` has the message.
 * `OWN_MONGO=1` tells the tests that they can start further databases.
 */
export const openDatabases = async (given: Environment) => {
  const environment = { ...given }
  const started: StartedDatabase[] = []
  const lacking: string[] = []
  const isUnwanted = given.WITHOUT_DATABASES === '1'
  for (const storage of keys(databases)) {
    const { title, variable, start, remedy }: TestDatabase = databases[storage]
    const required = `REQUIRE_${storage.toUpperCase()}`
    const own = isUnwanted || given[variable] ? undefined : await start().catch(error => cannotStart(title, error))
    if (own) started.push(own)
    const url = isUnwanted ? '' : given[variable] || own?.url || ''
    for (const name of [variable, required]) delete environment[name]
    if (own) environment[`OWN_${storage.toUpperCase()}`] = '1'
    if (url !== '') environment[variable] = url
    else {
      const reason = isUnwanted ? ', because WITHOUT_DATABASES=1' : `: ${remedy}, to run them`
      console.log(`The tests on ${title} are left out${reason}.`)
      if (given[required] === '1') lacking.push(`${required}=1 requires tests on ${title}.`)
    }
  }
  const stop = async (): Promise<void> => {
    for (const database of started) await database.stop()
  }
  return { environment, lacking, stop }
}
