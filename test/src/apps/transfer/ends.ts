import { transfer } from '@snippets/apps/transfer/transfer.js'
import type { Row, RowSource, RowTarget } from '@snippets/domain/old-row-store.js'
import { left, right } from 'fp-ts/lib/Either.js'
import { anId, draft } from '../../support/snippets.js'

export const row = (id: bigint, title = `title ${id}`): Row => ({
  kind: 'snippet',
  row: { ...draft({ title }), id: anId(id), version: 1 },
})

/** What happened to an end, and what becomes of it. */
export type End = {
  rows: Row[]
  lastId: bigint
  closed: number
  /** Called before its rows are read, the first time and later. */
  onRead: (time: number) => void
  fails?: 'summary' | 'open'
}

export const endOf = (rows: Row[] = []): End => ({ rows, lastId: 0n, closed: 0, onRead: () => {} })

const sourceOf = (end: End): RowSource => {
  let reads = 0
  return {
    summary: async () =>
      end.fails === 'summary'
        ? left('fails')
        : right({ lastId: end.lastId, snippets: end.rows.length, isEmpty: end.rows.length === 0 }),
    async *rows() {
      end.onRead(++reads)
      for (let i = 0; i < end.rows.length; i += 2) yield right(end.rows.slice(i, i + 2))
    },
    close: async () => void end.closed++,
  }
}

const targetOf = (end: End): RowTarget => ({
  ...sourceOf(end),
  find: async rows => right(end.rows.filter(({ row }) => rows.some(({ row: { id } }) => row.id === id))),
  insert: async rows => {
    end.rows.push(...rows)
    return right(undefined)
  },
  raiseLastId: async id => {
    if (id > end.lastId) end.lastId = id
    return right(undefined)
  },
  finish: async () => right(undefined),
})

type Options = Readonly<{ merge?: boolean; isRepeatable?: boolean }>

/** Transfers between ends in memory, which are named `here` and `there`. */
export const transferBetween = (source: End, target: End, { merge = false, isRepeatable = true }: Options = {}) =>
  transfer(
    { from: 'here', to: 'there', merge },
    { begin: () => {}, add: () => {}, end: () => {} },
    {
      source: async () => (source.fails === 'open' ? left('fails') : right({ source: sourceOf(source), isRepeatable })),
      target: async () => (target.fails === 'open' ? left('fails') : right(targetOf(target))),
    },
  )
