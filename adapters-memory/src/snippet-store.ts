import type { SnippetStore } from '@snippets/domain/ports.js'
import * as E from 'fp-ts/lib/Either.js'
import { inOneStep } from './one-step.js'
import type { SnippetTable } from './snippet-table.js'

const batchSize = 256

export const snippetStore = (table: SnippetTable): SnippetStore => ({
  create: draft => inOneStep(() => table.create(draft)),
  createOnce: (draft, retry) => inOneStep(() => table.createOnce(draft, retry)),
  get: id => inOneStep(() => table.get(id)),
  update: (id, changes, expected) => inOneStep(() => table.update(id, changes, expected)),
  delete: (id, expected) => inOneStep(() => table.delete(id, expected)),
  page: query => inOneStep(() => E.right(table.page(query))),

  async *all() {
    for (const batch of table.batches(batchSize)) yield E.right(batch)
  },
})
