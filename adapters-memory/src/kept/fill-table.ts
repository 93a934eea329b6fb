import { type Corrupt, storageFull } from '@snippets/domain/errors.js'
import * as E from 'fp-ts/lib/Either.js'
import type { SnippetTable } from '../snippet-table.js'
import type { Head } from './head.js'
import { damaged } from './opening-failure.js'
import type { KeptKey, RowFile } from './row-file.js'
import { lossOf, type Tally } from './tally.js'

/** Reads everything into an empty table. Undefined when all of it is there, else what is wrong. */
export const fillTable = async (
  table: SnippetTable,
  file: RowFile,
  head: Head,
  onProgress: (read: number, total: number) => void,
): Promise<string | undefined> => {
  const snippets = await loadSnippets(table, file, read => onProgress(read, head.snippets))
  if (isFault(snippets)) return sentence(snippets)
  const keys = await loadKeys(table, file)
  if (isFault(keys)) return sentence(keys)
  return lossOf(head, snippets, keys)
}

const isFault = (read: Tally | Corrupt | typeof storageFull): read is Corrupt | typeof storageFull => '_tag' in read

const sentence = (fault: Corrupt | typeof storageFull): string =>
  fault._tag === 'Corrupt'
    ? damaged(String(fault.cause))
    : 'holds more than memory may. Raise MEMORY_LIMIT_MB, and the heap limit of Node.js with it'

const loadSnippets = async (table: SnippetTable, file: RowFile, onProgress: (read: number) => void) => {
  let [count, sum] = [0, 0]
  for await (const batch of file.snippets()) {
    if (E.isLeft(batch)) return batch.left
    const { rows } = batch.right
    if (!table.load(rows)) return storageFull
    sum ^= batch.right.sum
    count += rows.length
    onProgress(count)
  }
  table.indexLoaded()
  return { count, sum }
}

/** They are stored in no order; the table keeps them in that of their time. */
const loadKeys = async (table: SnippetTable, file: RowFile) => {
  const all: KeptKey[] = []
  let sum = 0
  for await (const batch of file.keys()) {
    if (E.isLeft(batch)) return batch.left
    all.push(...batch.right.rows)
    sum ^= batch.right.sum
  }
  all.sort((a, b) => a.first.created_at - b.first.created_at)
  for (const { key, first } of all) table.keys.add(key, first)
  return table.isOverfull ? storageFull : { count: all.length, sum }
}
