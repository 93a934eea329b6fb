import { needsScan } from '@snippets/domain/list/page.js'
import { type NotFound, notFound, type Unavailable } from '@snippets/domain/ports/errors.js'
import type { SnippetStore } from '@snippets/domain/ports/ports.js'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { SnippetTable } from './snippet-table.js'
import type { WriteDecisions } from './write-decisions.js'

const batchSize = 256

/** What a scan may take, with its wait for those before it. */
const scanMs = 1000

/** Decides one write, and answers when it has come to pass. */
export type Write = <L, A>(decide: (decisions: WriteDecisions) => E.Either<L, A>) => TaskEither<L | Unavailable, A>

/** Reads the table. Nothing else runs during a read, so each is atomic; a scan reads once and then works on that. */
export const snippetStore = (table: () => SnippetTable, write: Write): SnippetStore => {
  // one after another, so that all others wait for a slice of one scan at a time
  let scans: Promise<unknown> = Promise.resolve()
  return {
    create: draft => write(decisions => decisions.create(draft)),
    createOnce: (draft, retry) => write(decisions => decisions.createOnce(draft, retry)),
    get: id => async () => E.fromOption((): NotFound => notFound)(table().get(id)),
    update: (id, changes, expected) => write(decisions => decisions.update(id, changes, expected)),
    delete: (id, expected) => write(decisions => decisions.delete(id, expected)),
    page: query => async () => {
      if (!needsScan(query.filter)) return E.right(table().page(query))
      const end = performance.now() + scanMs
      const found = scans.then(() => table().scan(query, end))
      scans = Promise.allSettled([found])
      return found
    },

    async *all() {
      let batch = table().after(0n, batchSize)
      for (let last = batch.at(-1); last !== undefined; last = batch.at(-1)) {
        yield E.right(batch)
        batch = table().after(last.id, batchSize)
      }
    },
  }
}
