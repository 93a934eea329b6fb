import { LoggableError } from '@snippets/remote-storage/redaction.js'
import type { FindCursor } from 'mongodb'

const endedEarly = new LoggableError('a list was not read to its end: the client has closed its cursor')

/** Reads the next batch of rows. Only the server ends a list, with an empty batch: a closed cursor has no more rows. */
export const readBatch = async <Row>(cursor: FindCursor<Row>): Promise<readonly Row[]> => {
  if (await cursor.hasNext()) return cursor.readBufferedDocuments()
  if (cursor.killed || !cursor.id?.isZero()) throw endedEarly
  return []
}
