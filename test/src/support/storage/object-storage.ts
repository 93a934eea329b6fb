import type { Log } from '@snippets/application/log.js'
import { LoggableError } from '@snippets/application/remote-storage/loggable-error.js'
import { deadlineRunner, type Operation } from '@snippets/application/remote-storage/operation.js'
import { outageLog, storageClosed } from '@snippets/application/remote-storage/outage-log.js'
import { retryPreparation } from '@snippets/application/remote-storage/retry-preparation.js'
import type { Timers } from '@snippets/application/remote-storage/timers.js'
import { type Expectation, isExpected } from '@snippets/domain/entities/revision.js'
import {
  applyChanges,
  type Draft,
  firstVersion,
  type Snippet,
  snippetCodec,
} from '@snippets/domain/entities/snippet.js'
import { type User, userCodec } from '@snippets/domain/entities/user.js'
import * as errors from '@snippets/domain/ports/errors.js'
import { type Created, type IdempotencyRecord, isExpired, replay } from '@snippets/domain/ports/idempotency-key.js'
import type { SnippetStore, UserStore } from '@snippets/domain/ports/ports.js'
import { matcherOfFilter } from '@snippets/domain/queries/filter.js'
import { idDirectionOf, type SortKey } from '@snippets/domain/queries/ordering.js'
import * as paging from '@snippets/domain/queries/page.js'
import type { Position } from '@snippets/domain/queries/position.js'
import { type Id, idFrom, idString } from '@snippets/domain/values/id.js'
import { codePointKey } from '@snippets/domain/values/text.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { parse } from 'fp-ts/lib/Json.js'
import { isNone } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'

/** The content of the object. Each operation loads rows of its own. */
type Rows = { lastId: bigint; snippets: Map<Id, Snippet>; keys: Map<string, IdempotencyRecord>; users: Map<Id, User> }

type Work<L, A> = (rows: Rows) => E.Either<L, A>

export type ObjectOptions = Readonly<{
  /** The object, which need not exist yet. */
  url: string
  users: readonly User[]
  firstId?: bigint
  log: Log
  timers: Timers
}>

/** Shorter than the port allows, because the event loop of a busy process is late. */
const deadlineMs = 2000

/** Each search loads the object, so a crowd of searches would delay all other operations. */
const maxSearches = 50

/**
 * Opens a storage that keeps everything in one object of an object store with conditional writes. It is the example of
 * `docs/adding-a-storage.md`: complete, but slow, because every write replaces all rows.
 */
export const objectStorage = ({ url, users, firstId = 1n, log, timers }: ObjectOptions) => {
  const outages = outageLog(log, timers)
  let isClosed = false
  // fetch connects by itself
  const connect = async (): Promise<void> => {
    if (isClosed) throw storageClosed
  }
  const withDeadline = deadlineRunner({ deadlineMs, timers, connect, isRejection, outages })
  const inTurn = serialised()
  let searches = 0

  const read =
    <L, A>(work: Work<L, A>): TaskEither<L | errors.ListError, A> =>
    () =>
      withDeadline(async operation => E.chainW(work)((await load(url, firstId, signalOf(operation))).rows))

  const write =
    <L, A>(work: Work<L, A>): TaskEither<L | errors.ListError, A> =>
    () =>
      withDeadline(operation =>
        inTurn(async () => {
          const signal = signalOf(operation)
          for (;;) {
            const { rows, etag } = await load(url, firstId, signal)
            const result = E.chainW(work)(rows)
            if (E.isLeft(rows) || E.isLeft(result)) return result
            operation.outcome = 'unknown'
            if (await replace(url, etag, rows.right, signal)) return result
            operation.outcome = 'unapplied'
          }
        }),
      )

  const preparing = retryPreparation(log, timers, isServerError, async () => {
    const prepared = await write(rows => {
      if (rows.users.size === 0) for (const user of users) rows.users.set(user.id, user)
      return E.right(undefined)
    })()
    if (E.isLeft(prepared)) throw prepared.left.cause
  })

  const snippets: SnippetStore = {
    create: draft => write(rows => add(rows, draft)),
    createOnce: (draft, idempotencyKey) =>
      write((rows): E.Either<errors.CreateOnceError, Created> => {
        for (const [key, record] of rows.keys) if (isExpired(record, draft.created_at)) rows.keys.delete(key)
        const { key, fingerprint } = idempotencyKey
        const record = rows.keys.get(key)
        if (record !== undefined) return replay(record, draft, idempotencyKey)
        const created = add(rows, draft)
        if (E.isRight(created)) rows.keys.set(key, { ...created.right, fingerprint })
        return pipe(
          created,
          E.map(item => ({ item, isReplay: false })),
        )
      }),
    get: id => read(rows => E.fromNullable(errors.notFound)(rows.snippets.get(id))),
    update: (id, changes, expected) =>
      write(rows => change(rows, id, expected, old => put(rows, applyChanges(old, changes)))),
    delete: (id, expected) => write(rows => change(rows, id, expected, () => void rows.snippets.delete(id))),
    page: query => async () => {
      const isSearch = query.filter.search !== undefined
      if (isSearch && searches === maxSearches) return E.left(errors.overloaded)
      if (isSearch) searches++
      const page = await read(rows => E.right(pageOf(rows, query)))()
      if (isSearch) searches--
      return page
    },
    async *all() {
      for (let last = 0n; ; ) {
        const batch = await read(rows =>
          E.right([...rows.snippets.values()].filter(({ id }) => id > last).slice(0, 100)),
        )()
        if (E.isLeft(batch) || batch.right.length > 0) yield batch
        if (E.isLeft(batch) || batch.right.length === 0) return
        last = batch.right.at(-1)?.id ?? last
      }
    },
  }
  const userStore: UserStore = {
    get: id => read(rows => E.fromNullable(errors.notFound)(rows.users.get(id))),
    page: window =>
      read(rows => {
        const sorted = [...rows.users.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
        return E.right({ count: sorted.length, items: sorted.slice(paging.offsetOf(window)).slice(0, window.size) })
      }),
  }
  return {
    snippets,
    users: userStore,
    check: read(() => E.right(undefined)),
    prepared: preparing.done,
    close: async () => {
      isClosed = true
      preparing.stop()
    },
  }
}

/** Returns a signal that aborts when the operation has ended: nothing may be sent after that. */
const signalOf = (operation: Operation): AbortSignal => {
  const controller = new AbortController()
  operation.onEnd = () => controller.abort()
  if (operation.isOver) controller.abort()
  return controller.signal
}

/** Runs the writes of this process one after another, so that they do not make each other's ETag stale. */
const serialised = () => {
  let last: Promise<unknown> = Promise.resolve()
  return <A>(work: () => Promise<A>): Promise<A> => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
}

class ErrorStatus extends LoggableError {
  readonly status: number
  constructor(status: number) {
    super(`the object store answers with ${status}`)
    this.status = status
  }
}

const isServerError = (error: unknown): boolean => error instanceof ErrorStatus

/** Tells whether the object store wrote nothing and would reject the request again. */
const isRejection = (error: unknown): boolean => error instanceof ErrorStatus && error.status < 500

/** Returns the rows and the ETag of the object, which is undefined while the object does not exist. */
const load = async (url: string, firstId: bigint, signal: AbortSignal) => {
  const result = await fetch(url, { signal })
  if (result.status === 404) {
    const none: Rows = { lastId: firstId - 1n, snippets: new Map(), keys: new Map(), users: new Map() }
    return { rows: E.right<errors.Corrupt, Rows>(none), etag: undefined }
  }
  if (!result.ok) throw new ErrorStatus(result.status)
  return { rows: decode(await result.text()), etag: result.headers.get('ETag') ?? '' }
}

/** Returns false if another process has replaced the object since it was loaded. */
const replace = async (url: string, etag: string | undefined, rows: Rows, signal: AbortSignal): Promise<boolean> => {
  const headers = new Headers(etag === undefined ? { 'If-None-Match': '*' } : { 'If-Match': etag })
  const { ok, status } = await fetch(url, { method: 'PUT', headers, body: encode(rows), signal })
  if (!ok && status !== 412) throw new ErrorStatus(status)
  return ok
}

const stored = t.strict({
  lastId: t.string,
  snippets: t.array(t.intersection([t.strict({ id: idString }), snippetCodec])),
  keys: t.array(t.tuple([t.string, t.strict({ id: idString, created_at: t.number, fingerprint: t.string })])),
  users: t.array(t.intersection([t.strict({ id: idString }), userCodec])),
})

const encode = ({ lastId, snippets, keys, users }: Rows): string =>
  JSON.stringify(
    { lastId, snippets: [...snippets.values()], keys: [...keys], users: [...users.values()] },
    (_, value) => (typeof value === 'bigint' ? String(value) : value),
  )

const decode = (text: string): E.Either<errors.Corrupt, Rows> =>
  pipe(
    E.chainW(stored.decode)(parse(text)),
    E.mapLeft(() => errors.corrupt(new LoggableError('the object is malformed'))),
    E.map(({ lastId, snippets, keys, users }) => ({
      lastId: BigInt(lastId),
      snippets: new Map(snippets.map(snippet => [snippet.id, snippet])),
      keys: new Map(keys),
      users: new Map(users.map(user => [user.id, user])),
    })),
  )

const add = (rows: Rows, draft: Draft): E.Either<errors.IdsExhausted, Snippet> => {
  const id = idFrom(rows.lastId + 1n)
  if (isNone(id)) return E.left(errors.idsExhausted)
  rows.lastId = id.value
  return E.right(put(rows, firstVersion(id.value, draft)))
}

const put = ({ snippets }: Rows, snippet: Snippet): Snippet => {
  snippets.set(snippet.id, snippet)
  return snippet
}

const change = <A>({ snippets }: Rows, id: Id, expected: Expectation, make: (old: Snippet) => A) => {
  const old = snippets.get(id)
  if (old === undefined) return E.left<errors.NotFound | errors.Stale, A>(errors.notFound)
  return isExpected(expected, old) ? E.right(make(old)) : E.left<errors.NotFound | errors.Stale, A>(errors.stale)
}

/** Compares by the sort keys, then by the id. */
const compareBy =
  (sortKeys: readonly SortKey[]) =>
  (a: Position, b: Position): number => {
    for (const { field, direction } of [...sortKeys, { field: 'id' as const, direction: idDirectionOf(sortKeys) }]) {
      const [x, y] = [sortValue(a[field]), sortValue(b[field])]
      if (x !== y) return x < y === (direction === 'asc') ? -1 : 1
    }
    return 0
  }

const sortValue = (value: string | number | bigint = '') => (typeof value === 'string' ? codePointKey(value) : value)

const pageOf = ({ snippets }: Rows, query: paging.SnippetQuery): paging.Page<Snippet> => {
  const compare = compareBy(paging.sortKeysOf(query))
  const matches = [...snippets.values()].filter(matcherOfFilter(query.filter)).sort(compare)
  const [count, { seek, window }] = [matches.length, query]
  const { size } = window
  if (seek === undefined) return { count, items: matches.slice(paging.offsetOf(window)).slice(0, size) }
  const isAfter = seek.side === 'after'
  const beyond = matches.filter(snippet => compare(snippet, seek.position) * (isAfter ? 1 : -1) > 0)
  return { count, items: isAfter ? beyond.slice(0, size) : beyond.slice(-size), hasMore: beyond.length > size }
}
