import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import type { Id } from '@snippets/domain/id.js'
import { type Order, orderingOf } from '@snippets/domain/ordering.js'
import { defaultPageSize, type Filter, maxPageSize, type SnippetQuery, windowOf } from '@snippets/domain/page.js'
import type { SnippetStore } from '@snippets/domain/ports.js'
import { anyRevision } from '@snippets/domain/revision.js'
import type { Draft } from '@snippets/domain/snippet.js'
import { isSome } from 'fp-ts/lib/Option.js'
import { draft, must } from '../../support/snippets.js'

/** Microseconds per operation, in the median round. */
export type ScaleRow = Readonly<{ what: string; microseconds: number }>

export type StoreScale = Readonly<{ rows: readonly ScaleRow[]; bytesPerSnippet: number; textPerSnippet: number }>

const rounds = 15
const roundSize = 30

/** Operations that are not timed, so that the code is compiled: a server is seldom in its first seconds. */
const warmUp = { pages: 300, writes: 10_000, mostOfRows: 0.25 }

const languages = ['c', 'go', 'java', 'javascript', 'python', 'ruby', 'rust', 'typescript']
const depths = { front: 0, middle: 0.5, end: 1 }

const byDate: Order = { field: 'created_at', direction: 'asc' }
const byDateDesc: Order = { field: 'created_at', direction: 'desc' }
const byTitle: Order = { field: 'title', direction: 'asc' }
const byTitleDesc: Order = { field: 'title', direction: 'desc' }

/** A filter and an ordering of each kind. The texts of a filter are drawn anew for every query. */
type Shape = Readonly<{ equal: readonly (keyof Filter)[]; orders: readonly Order[] }>

const shapes: readonly Shape[] = ([[], ['language'], ['title'], ['language', 'title']] as const).flatMap(equal =>
  [[], [byDate], [byDateDesc], [byTitle], [byTitleDesc], [byTitle, byDateDesc], [byDateDesc, byTitle]].map(orders => ({
    equal,
    orders,
  })),
)

/** Fills a store with snippets that share titles and languages, then times every kind of page, creates and deletes. */
export const measureStore = async (rows: number, progress: (done: number) => void): Promise<StoreScale> => {
  const { snippets } = memoryStorage({ users: [] })
  const random = randomNumbers(1)
  let text = 0
  const before = usedMemory()
  for (let i = 0; i < rows; i++) {
    const { title, code, language } = must(await snippets.create(draftOf(i, rows, random))())
    text += title.length + code.length + language.length
    if (i % 20_000 === 0) progress(i)
  }
  const bytes = usedMemory() - before
  const ids = await everyId(snippets)
  const writes = await measureWrites(snippets, ids, { rows, random, situation: 'no order by two fields asked for yet' })
  const measured: ScaleRow[] = []
  for (const size of [defaultPageSize, maxPageSize]) {
    for (const [depth, share] of Object.entries(depths)) {
      let slowest = 0
      for (const shape of shapes)
        slowest = Math.max(slowest, await measurePages(snippets, { shape, size, share, random }))
      measured.push({ what: `page of ${size}, ${depth}, slowest query`, microseconds: slowest })
    }
  }
  return {
    rows: [
      ...measured,
      ...writes,
      ...(await measureWrites(snippets, ids, { rows, random, situation: 'every order asked for' })),
    ],
    bytesPerSnippet: bytes / rows,
    textPerSnippet: text / rows,
  }
}

const everyId = async (snippets: SnippetStore): Promise<Id[]> => {
  const ids: Id[] = []
  for await (const batch of snippets.all()) for (const { id } of must(batch)) ids.push(id)
  return ids
}

/** The collector is run first, if node was started with --expose-gc. The second time sweeps what the first has found. */
const usedMemory = (): number => {
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const draftOf = (i: number, rows: number, random: () => number): Draft =>
  arrived({
    title: random() < 0.5 ? commonTitle(random) : `note ${Math.floor(random() * rows)} on ${i}`,
    code: `print(${i})${'x'.repeat(i % 1200)}`,
    language: pick(languages, random),
    created_at: 1_750_000_000_000 + Math.floor(i / 4),
  })

/** Through JSON, as a body arrives: otherwise V8 keeps the parts of a text instead of the text. */
const arrived = ({ created_at, ...texts }: Readonly<{ created_at: number } & Record<string, unknown>>): Draft =>
  draft({ ...JSON.parse(JSON.stringify(texts)), created_at })

const commonTitle = (random: () => number): string => `common title ${Math.floor(random() * 1000)}`

const measurePages = async (
  snippets: SnippetStore,
  { shape, size, share, random }: Readonly<{ shape: Shape; size: number; share: number; random: () => number }>,
): Promise<number> =>
  timeRounds(warmUp.pages, async () => {
    const query = queryOf(shape, size, random)
    const { count } = must(await snippets.page(query)())
    const pages = Math.max(1, Math.ceil(count / size))
    const page = 1 + Math.floor((pages - 1) * share * (0.99 + random() / 100))
    return () => snippets.page({ ...query, window: windowOf(page, size) })()
  })

const queryOf = ({ equal, orders }: Shape, size: number, random: () => number): SnippetQuery => {
  const ordering = orderingOf(orders)
  if (!isSome(ordering)) throw new Error('a shape sorts twice by one field')
  return {
    filter: {
      ...(equal.includes('language') && { language: pick(languages, random) }),
      ...(equal.includes('title') && { title: commonTitle(random) }),
    },
    ordering: ordering.value,
    window: windowOf(1, size),
  }
}

type Writes = Readonly<{ rows: number; random: () => number; situation: string }>

/** The index of an order by two fields is kept up to date once a page has asked for it. */
const measureWrites = async (
  snippets: SnippetStore,
  ids: Id[],
  { rows, random, situation }: Writes,
): Promise<readonly ScaleRow[]> => {
  const before = Math.min(warmUp.writes, Math.floor(warmUp.mostOfRows * rows))
  const creates = await timeRounds(before, async () => {
    const next = draftOf(rows, rows, random)
    return async () => ids.push(must(await snippets.create(next)()).id)
  })
  const replaces = await timeRounds(before, async () => {
    const { created_at: _, ...content } = draftOf(rows, rows, random)
    return async () => must(await snippets.update(pick(ids, random), content, anyRevision)())
  })
  const deletes = await timeRounds(before, async () => {
    const id = takeOne(ids, random)
    return async () => must(await snippets.delete(id, anyRevision)())
  })
  return [
    { what: `create, ${situation}`, microseconds: creates },
    { what: `replace, ${situation}`, microseconds: replaces },
    { what: `delete, ${situation}`, microseconds: deletes },
  ]
}

/** Prepares all operations of a round before timing them. */
const timeRounds = async (untimed: number, prepare: () => Promise<() => Promise<unknown>>): Promise<number> => {
  for (let i = 0; i < untimed; i++) await (await prepare())()
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const operations: (() => Promise<unknown>)[] = []
    for (let i = 0; i < roundSize; i++) operations.push(await prepare())
    const begun = performance.now()
    for (const operation of operations) await operation()
    times.push(((performance.now() - begun) * 1000) / roundSize)
  }
  times.sort((a, b) => a - b)
  return times[rounds >> 1] ?? 0
}

const pick = <A>(items: readonly A[], random: () => number): A => items[Math.floor(random() * items.length)] as A

const takeOne = <A>(items: A[], random: () => number): A => {
  const place = Math.floor(random() * items.length)
  const item = items[place] as A
  items[place] = items.at(-1) as A
  items.pop()
  return item
}

/** A repeatable sequence of numbers in [0, 1). */
const randomNumbers = (seed: number) => {
  let state = seed
  return (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
