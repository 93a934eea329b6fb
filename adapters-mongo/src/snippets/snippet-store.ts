import type { CreateOnceError } from '@snippets/domain/errors.js'
import { type Filter, filteredFields } from '@snippets/domain/page.js'
import type { SnippetStore } from '@snippets/domain/ports.js'
import type { Created } from '@snippets/domain/retry-key.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Collection, MongoClient } from 'mongodb'
import type { Attempt } from '../connection/attempt.js'
import type { InTime } from '../connection/in-time.js'
import { countMatches } from '../documents/count-matches.js'
import { SharedCounts } from '../documents/shared-counts.js'
import { Batcher } from './batching.js'
import { deleteSnippet, updateSnippet } from './conditional-writes.js'
import type { Creation } from './creation.js'
import type { IdCounter } from './id-counter.js'
import { indexFor } from './page-indexes.js'
import type { RetryKeys } from './retry-keys.js'
import { createTogether } from './snippet-creation.js'
import type { SnippetDocument } from './snippet-document.js'
import { lookUpTogether } from './snippet-lookup.js'
import { readSnippets } from './snippet-pages.js'
import { streamAll } from './snippet-stream.js'
import type { StandingIndexes } from './standing-indexes.js'

const isOver = ({ attempt }: Readonly<{ attempt: Attempt }>): boolean => attempt.isTooLate()

// two batches of lookups at a time hide the network's latency; batches of creations wait for the same journal
const lookupBatching = { isOver, size: 500, lanes: 2, stuckAfter: 250 }
const creationBatching = { isOver, size: 500, lanes: 1, stuckAfter: 250 }

/** Called before each batch is sent, with the operation and how many of it the batch holds. */
export type OnBatch = (operation: string, size: number) => void

type Parts = Readonly<{
  inTime: InTime
  /**
   * The same for operations that are not batched, at most as many at a time as there are connections. What would be refused is
   * foretold by `isBusy` of the storage.
   */
  inTurn: InTime
  client: MongoClient
  snippets: Collection<SnippetDocument>
  ids: IdCounter
  keys: RetryKeys
  standing: StandingIndexes
  onBatch?: OnBatch
}>

export const snippetStore = (parts: Parts): SnippetStore => {
  const { inTime, inTurn, client, snippets, ids, keys, standing, onBatch = () => {} } = parts
  const lookups = new Batcher(reporting(onBatch, 'snippets.get', lookUpTogether(snippets)), lookupBatching)
  const create = createTogether(client, snippets, ids, keys)
  const creations = new Batcher(reporting(onBatch, 'snippets.create', create), creationBatching)
  const update = updateSnippet(client, snippets)
  const remove = deleteSnippet(client, snippets, keys)
  const counts = new SharedCounts((filter: Filter) =>
    standing.reading(indexFor(filteredFields(filter), []), hint => countMatches(snippets, filter, hint)),
  )
  const counted = outdating(counts)
  return {
    create: draft => counted(inTime(attempt => new Promise(answer => creations.add({ draft, attempt, answer })))),
    createOnce: (draft, retry) => counted(createOnceIn(inTime, creations)(draft, retry)),
    get: id => inTime(attempt => new Promise(answer => lookups.add({ id, attempt, answer }))),
    update: (id, changes, expected) => counted(inTurn(attempt => update({ id, expected, attempt }, changes))),
    delete: (id, expected) => counted(inTurn(attempt => remove({ id, expected, attempt }))),

    page: query => inTurn(() => readSnippets(query, { snippets, counts, standing })),
    all: () => streamAll(inTurn, snippets),
  }
}

const createOnceIn =
  (inTime: InTime, creations: Batcher<Creation>): SnippetStore['createOnce'] =>
  (draft, { key, fingerprint }) =>
    inTime(
      attempt =>
        new Promise<E.Either<CreateOnceError, Created>>(answer =>
          creations.add({
            draft,
            attempt,
            answer: made => answer(E.map((item: Snippet): Created => ({ item, isReplay: false }))(made)),
            retry: { key, fingerprint, answer },
          }),
        ),
    )

/** After a write, its caller sees it in every count. */
const outdating =
  (counts: SharedCounts<Filter>) =>
  <E, A>(write: TaskEither<E, A>): TaskEither<E, A> =>
  async () => {
    const result = await write()
    counts.outdate()
    return result
  }

const reporting =
  <Job>(onBatch: OnBatch, operation: string, run: (jobs: readonly Job[]) => Promise<void>): typeof run =>
  jobs => {
    onBatch(operation, jobs.length)
    return run(jobs)
  }
