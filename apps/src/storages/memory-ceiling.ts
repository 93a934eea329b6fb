import { getHeapStatistics } from 'node:v8'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { bytesPerMiB } from '../settings/setting-parsers.js'

/** The share of the heap for snippets and keys. Requests, responses and garbage take the rest. */
const snippetShareOfHeap = 0.5
/** The heap limit includes a young generation of up to this size. Snippets leave it. */
const youngBytes = 220 * 1024 * 1024

/** Returns the most bytes that snippets and keys in memory may take. */
export const memoryCeiling = (limitMb: O.Option<number>): number =>
  pipe(
    limitMb,
    O.map(mebibytes => mebibytes * bytesPerMiB),
    O.getOrElse(() =>
      Math.floor(Math.max(getHeapStatistics().heap_size_limit - youngBytes, youngBytes / 4) * snippetShareOfHeap),
    ),
  )
