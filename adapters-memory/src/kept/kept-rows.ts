import type { Row, RowStore } from '@snippets/domain/row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { openingFailure } from './opening-failure.js'
import { openRowFile, type RowFile, type RowFileOptions } from './row-file.js'
import { decodeRow, encodeRow, rowKey, type StoredRow } from './stored-row.js'

/** The rows of a directory. Left is a sentence without its subject, the name of the directory. */
export const openKeptRows = (options: RowFileOptions): TaskEither<string, RowStore> =>
  pipe(openRowFile(options), TE.map(keptRows))

const keptRows = (file: RowFile): RowStore => ({
  lastId: async () => E.right(file.head().lastId),

  async *rows() {
    for await (const batch of file.rows())
      yield pipe(
        batch,
        E.map(rows => rows.filter(isRow)),
      )
  },

  add: rows =>
    pipe(
      attempt(() => file.texts(rows.map(({ kind, row }) => rowKey(kind, row.id)))),
      TE.chain(stored => {
        const texts = new Map(stored)
        const added = new Map<string, string>()
        const existing: Row[] = []
        let { lastId } = file.head()
        for (const { kind, row } of rows) {
          const key = rowKey(kind, row.id)
          const text = texts.get(key)
          if (text === undefined) {
            texts.set(key, encodeRow(row))
            added.set(key, encodeRow(row))
            if (kind === 'snippet' && row.id > lastId) lastId = row.id
          } else {
            const found = decodeRow(key, text)
            if (E.isLeft(found)) return TE.left(`has ${found.left}`)
            if (isRow(found.right)) existing.push(found.right)
          }
        }
        return pipe(
          attempt(() => file.write(added, lastId)),
          TE.map(() => existing),
        )
      }),
    ),

  raiseLastId: id => (file.head().lastId >= id ? TE.right(undefined) : attempt(() => file.write(new Map(), id))),

  close: () => file.close(),
})

const isRow = (row: StoredRow): row is Row => row.kind !== 'key'

const attempt = <A>(work: () => Promise<A>): TaskEither<string, A> => TE.tryCatch(work, openingFailure)
