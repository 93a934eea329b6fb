import type { Db, Document } from 'mongodb'

/** How many documents or index entries one step of a build has done, and of how many. A build has several steps. */
type BuildProgress = Readonly<{ step: string; done: number; total: number }>

/**
 * How far the database is with the index that it builds on this collection. Undefined where it does not tell: `$currentOp`
 * shows what others run, and so the database's own build thread, only to a user with the privilege `inprog`.
 */
export const buildProgress = async (db: Db, collection: string): Promise<BuildProgress | undefined> => {
  const building = { ns: `${db.databaseName}.${collection}`, msg: /^Index Build/, progress: { $exists: true } }
  const pipeline = [{ $currentOp: { allUsers: true } }, { $match: building }]
  try {
    const builds = await db.client.db('admin').aggregate(pipeline, { maxTimeMS: 1000 }).toArray()
    const [first] = builds
    // on a sharded cluster every shard builds its part
    return first && { step: stepOf(first), done: sumOf(builds, 'done'), total: sumOf(builds, 'total') }
  } catch {
    return undefined
  }
}

/** The message repeats its name and adds figures: `Index Build: draining Index Build: draining: 7/10 70%`. */
const stepOf = ({ msg }: Document): string => /^Index Build: (.*?)(?: Index Build:.*)?$/.exec(msg)?.[1] ?? 'building'

const sumOf = (builds: readonly Document[], figure: 'done' | 'total'): number =>
  builds.reduce((sum, { progress }) => sum + Number(progress[figure]), 0)

/** Calls `tell` at this interval until the work is done, one call at a time. */
export const telling = async <A>(work: Promise<A>, tell: () => Promise<void>, everyMs: number): Promise<A> => {
  let isDone = false
  let timer: NodeJS.Timeout | undefined
  const wait = (): void => {
    if (!isDone) timer = setTimeout(() => void tell().finally(wait), everyMs).unref()
  }
  wait()
  try {
    return await work
  } finally {
    isDone = true
    clearTimeout(timer)
  }
}
