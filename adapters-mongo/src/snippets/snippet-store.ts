import { type CreateError, corrupt, type KeyReused, unavailable } from '@snippets/domain/ports/errors.js'
import type { SnippetStore } from '@snippets/domain/ports/ports.js'
import type { Created } from '@snippets/domain/ports/retry-key.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Collection } from 'mongodb'
import { inBatches } from '../connection/batches.js'
import type { InTime } from '../connection/operation.js'
import type { SendWrite } from '../connection/writes.js'
import { deleteSnippet, updateSnippet } from './conditional-writes.js'
import type { IdCounter } from './id-counter.js'
import type { RetryKeys } from './retry-keys.js'
import { createTogether } from './snippet-creation.js'
import type { SnippetDocument } from './snippet-document.js'
import { lookUpTogether } from './snippet-lookup.js'
import { readSnippets } from './snippet-pages.js'
import { streamAll } from './snippet-stream.js'

/** Called before each batch is sent, with the operation and how many of it the batch holds. */
export type OnBatch = (operation: string, size: number) => void

type Parts = Readonly<{
  /** For batches, of which there are few at a time. */
  inTime: InTime
  /** For all else. */
  inTurn: InTime
  sendWrite: SendWrite
  snippets: Collection<SnippetDocument>
  ids: IdCounter
  keys: RetryKeys
  /** Whether the unique index of the keys is there. */
  keysAreReady: () => boolean
  onBatch: OnBatch
}>

// two batches of lookups at a time hide the network's latency; batches of creations wait for the same journal
const lookupsAtATime = 2
const creationsAtATime = 1

const keysNotReady = new Error('not sent: the unique index of idempotency keys is not there yet')

export const snippetStore = (parts: Parts): SnippetStore => {
  const { inTime, inTurn, sendWrite, snippets, keys, onBatch, keysAreReady } = parts
  const observe = (operation: string) => (size: number) => onBatch(operation, size)
  const lookUp = inBatches(lookupsAtATime, observe('snippets.get'), lookUpTogether(inTime, snippets))
  const create = inBatches(creationsAtATime, observe('snippets.create'), createTogether(parts))
  const update = updateSnippet(sendWrite, snippets)
  const remove = deleteSnippet(sendWrite, snippets, keys)
  return {
    create: draft => async () => E.bimap(withoutKey, (made: Created) => made.item)(await create({ draft })),
    createOnce: (draft, retry) => async () =>
      keysAreReady() ? create({ draft, retry }) : E.left(unavailable('unapplied', keysNotReady)),
    get: id => () => lookUp(id),
    update: (id, changes, expected) => () => inTurn(operation => update(operation, { id, expected }, changes)),
    delete: (id, expected) => () => inTurn(operation => remove(operation, { id, expected })),
    page: query => () => inTurn(() => readSnippets(snippets, query)),
    all: () => streamAll(inTurn, snippets),
  }
}

/** No other creation can have used a key that was not given. */
const withoutKey = (error: CreateError | KeyReused): CreateError =>
  error._tag === 'KeyReused' ? corrupt(error) : error
