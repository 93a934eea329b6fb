import { type Corrupt, storageFull } from '@snippets/domain/errors.js'
import { maxId } from '@snippets/domain/id.js'
import { type Either, isLeft } from 'fp-ts/lib/Either.js'
import type { SnippetTable } from '../snippet-table.js'
import type { Head } from './head.js'
import { damaged } from './opening-failure.js'
import { hashOf, hashOfFirst } from './row-codec.js'
import type { KeptKey, RowFile, StoredRow } from './row-file.js'

type Batches<A> = AsyncIterable<Either<Corrupt, readonly StoredRow<A>[]>>

/** What was read of one kind. */
type Tally = Readonly<{ count: number; sum: number }>

/** Reads everything into an empty table. Undefined when all of it is there, else what is wrong. */
export const fillTable = async (
  table: SnippetTable,
  file: RowFile,
  head: Head,
  onProgress: (read: number, total: number) => void,
): Promise<string | undefined> => {
  const snippets = await loadSnippets(table, file, read => onProgress(read, head.snippets))
  if (isFault(snippets)) return sentence(snippets)
  const keys = await loadKeys(table, file.keys())
  if (isFault(keys)) return sentence(keys)
  const isWhole = (snippets.sum ^ keys.sum) === head.sum
  if (snippets.count === head.snippets && keys.count === head.keys && isWhole && head.lastId <= maxId) return undefined
  const counts = `${snippets.count} of ${head.snippets} snippets and ${keys.count} of ${head.keys} keys were read`
  return damaged(`${counts}, and their checksum ${isWhole ? 'fits' : 'differs'}`)
}

const isFault = (read: Tally | Corrupt | typeof storageFull): read is Corrupt | typeof storageFull => '_tag' in read

const sentence = (fault: Corrupt | typeof storageFull): string =>
  fault._tag === 'Corrupt'
    ? damaged(String(fault.cause))
    : 'holds more than memory may. Raise MEMORY_LIMIT_MB, and the heap limit of Node.js with it'

const loadSnippets = async (table: SnippetTable, file: RowFile, onProgress: (read: number) => void) => {
  let [count, sum] = [0, 0]
  for await (const batch of file.snippets()) {
    if (isLeft(batch)) return batch.left
    if (!table.load(batch.right.map(({ row }) => row))) return storageFull
    for (const { row, text } of batch.right) sum ^= hashOf(row.id, text)
    count += batch.right.length
    onProgress(count)
  }
  table.indexLoaded()
  return { count, sum }
}

/** They are stored in no order; the table keeps them in that of their time. */
const loadKeys = async (table: SnippetTable, batches: Batches<KeptKey>) => {
  const all: KeptKey[] = []
  let sum = 0
  for await (const batch of batches) {
    if (isLeft(batch)) return batch.left
    for (const { row, text } of batch.right) {
      all.push(row)
      sum ^= hashOfFirst(row.key, text)
    }
  }
  all.sort((a, b) => a.first.created_at - b.first.created_at)
  for (const { key, first } of all) table.keys.add(key, first)
  return table.isOverfull ? storageFull : { count: all.length, sum }
}
