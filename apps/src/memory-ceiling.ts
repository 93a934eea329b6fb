import { getHeapStatistics } from 'node:v8'
import { pipe } from 'fp-ts/lib/function.js'
import { getOrElse, map, type Option } from 'fp-ts/lib/Option.js'

/** The rest is for requests, answers and what the garbage collector has not yet collected. */
const shareOfHeap = 0.5

const bytesPerMb = 1024 * 1024

/** How many bytes snippets in memory may take. */
export const memoryCeiling = (limitMb: Option<number>): number =>
  pipe(
    limitMb,
    map(megabytes => megabytes * bytesPerMb),
    getOrElse(() => Math.floor(getHeapStatistics().heap_size_limit * shareOfHeap)),
  )
