import { type Db, MongoServerError } from 'mongodb'
import type { Log } from '../log.js'
import { buildProgress, telling } from './build-progress.js'
import { isOurs, type ListedIndex, listIndexes } from './listed-indexes.js'
import { type Index, textOf, wantedIndexes } from './page-indexes.js'
import type { StandingIndexes } from './standing-indexes.js'

type Preparation = Readonly<{
  /** A database whose commands may take hours. */
  db: Db
  collection: string
  standing: StandingIndexes
  log: Log
  /** How often a line of the log tells how far a build is. */
  progressEveryMs?: number
}>

const usualProgressMs = 5000

/**
 * Builds the indexes that are missing, one command for each, and then drops those of an older version. Indexes that others
 * made are left alone, and used when they have a wanted definition.
 */
export const prepareIndexes = async (preparation: Preparation): Promise<void> => {
  const { db, collection, standing, log } = preparation
  const listed = await listIndexes(db, collection)
  standing.found(listed)
  const missing = wantedIndexes.filter(index => !standing.isStanding(index))
  const hidden = missing.filter(({ key }) => listed.some(other => other.isHidden && other.key === textOf(key)))
  for (const { name } of hidden) log.warn({ index: name }, 'an index of pages is hidden, so it is not used')
  const wanted = missing.filter(index => !hidden.includes(index))
  if (wanted.length > 0) await buildAll(preparation, wanted, listed)
  // an older version of the service may still read with them
  if (standing.missing() === 0) await dropOutdated(preparation, listed)
}

const buildAll = async (
  preparation: Preparation,
  missing: readonly Index[],
  listed: readonly ListedIndex[],
): Promise<void> => {
  const { db, collection, standing, log, progressEveryMs = usualProgressMs } = preparation
  const isEmpty = (await db.collection(collection).estimatedDocumentCount()) === 0
  const progress: Log['info'] = (fields, message) => {
    if (!isEmpty) log.info(fields, message)
  }
  const names = missing.map(({ name }) => name)
  progress({ indexes: names }, 'pages are slow until these indexes are built')
  for (const [i, index] of missing.entries()) {
    const { name } = index
    const isUnderBuild = listed.some(other => other.name === name && other.isUnderBuild)
    progress({ index: name, left: missing.length - i }, isUnderBuild ? 'an index is being built' : 'building an index')
    const startedAt = performance.now()
    const ms = (): number => Math.round(performance.now() - startedAt)
    const tell = async (): Promise<void> => {
      const soFar = await buildProgress(db, collection)
      if (!standing.isStanding(index)) progress({ index: name, ms: ms(), ...soFar }, 'still building an index')
    }
    if (!(await telling(build(preparation, index, listed), tell, progressEveryMs))) continue
    standing.built(index)
    progress({ index: name, left: missing.length - i - 1, ms: ms() }, 'built an index')
  }
  log.info({ indexes: missing.filter(standing.isStanding).map(({ name }) => name) }, 'created indexes')
}

/**
 * Answers when the index is done. While somebody else builds it, MongoDB waits for that build instead of starting another.
 */
const build = async (
  { db, collection, log }: Preparation,
  { name, key }: Index,
  listed: readonly ListedIndex[],
): Promise<boolean> => {
  const isTaken = listed.some(other => other.name === name && (other.key !== textOf(key) || !other.isPlain))
  try {
    if (isTaken) {
      await db.collection(collection).dropIndex(name)
      log.warn({ index: name }, 'dropped an index that had the name of another definition')
    }
    await db.collection(collection).createIndexes([{ name, key: { ...key } }])
    return true
  } catch (error) {
    if (!isRefusal(error)) throw error
    log.warn({ index: name, reason: error.message }, 'the database refuses an index; its pages stay slow')
    return false
  }
}

const dropOutdated = async ({ db, collection, log }: Preparation, listed: readonly ListedIndex[]): Promise<void> => {
  const wanted = new Set(wantedIndexes.map(({ name }) => name))
  for (const { name } of listed.filter(isOurs)) {
    if (wanted.has(name)) continue
    try {
      await db.collection(collection).dropIndex(name)
      log.info({ index: name }, 'dropped an index of an older version')
    } catch (error) {
      // another process was faster
      if (!hasCode(error, indexNotFound)) throw error
    }
  }
}

const indexNotFound = 27

/** Too many indexes, or one of the same key or name with other options: trying again does not help. */
const refusals = [67, 85, 86]

const isRefusal = (error: unknown): error is MongoServerError => refusals.some(code => hasCode(error, code))

const hasCode = (error: unknown, code: number): boolean => error instanceof MongoServerError && error.code === code
