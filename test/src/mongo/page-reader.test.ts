import { setTimeout as pause } from 'node:timers/promises'
import { readPage, readStretch } from '@snippets/adapters-mongo/documents/page-reader.js'
import { SharedCounts } from '@snippets/adapters-mongo/documents/shared-counts.js'
import { windowOf } from '@snippets/domain/page.js'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import type { Collection, Document } from 'mongodb'

describe('A count that fails while its page is read', () => {
  it('is not an unhandled rejection, which would end the process', async () => {
    const rejected: unknown[] = []
    const note = (reason: unknown): void => void rejected.push(reason)
    process.on('unhandledRejection', note)
    const slow = { find: () => ({ toArray: () => pause(20, [{}]) }) } as unknown as Collection
    const failing = () => {
      const counts = new SharedCounts(() => Promise.reject(new Error('gone')))
      counts.of({}).catch(() => {})
      return counts
    }
    const request = { filter: {}, window: windowOf(1, 10), decode: (row: Document) => right(row) }
    const stretch = { matching: {}, sort: { _id: 1 }, isBackwards: false } as const
    await readPage(slow, failing(), { ...request, sort: { _id: 1 } }).catch(() => {})
    await readStretch(slow, failing(), request, stretch).catch(() => {})
    process.off('unhandledRejection', note)
    expect(rejected).to.deep.equal([])
  })
})
