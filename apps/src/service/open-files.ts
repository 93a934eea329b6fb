import * as E from 'fp-ts/lib/Either.js'
import { readTextFile } from '../text-file.js'

/** Files beside the connections of clients: LevelDB opens up to 1,000, and the MongoDB driver up to 100 connections. */
const otherFiles = 1100

/** Warns if the process cannot open as many files as it needs. Other systems than Linux do not tell the limit. */
export const openFilesWarnings = (maxConnections: number): readonly string[] => {
  const limits = E.getOrElse(() => '')(readTextFile('/proc/self/limits'))
  const [, limit = 'unlimited'] = /^Max open files +(\d+)/m.exec(limits) ?? []
  const needed = maxConnections + otherFiles
  return Number(limit) < needed
    ? [`MAX_CONNECTIONS needs ${needed} open files, but ${limit} are allowed: raise ulimit -n or lower MAX_CONNECTIONS`]
    : []
}
