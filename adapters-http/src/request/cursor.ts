import { hash } from 'node:crypto'
import { type Id, parseId } from '@snippets/domain/id.js'
import type { OrderingField } from '@snippets/domain/ordering.js'
import { effectiveOrders, type SnippetQuery } from '@snippets/domain/page.js'
import type { Position } from '@snippets/domain/position.js'
import * as O from 'fp-ts/lib/Option.js'

type Query = Pick<SnippetQuery, 'filter' | 'ordering'>

/** Cursors of another version are refused. */
const version = 1

/** The hash is not secret: a cursor names nothing but a place among rows that its query shows anyway. */
const hashLength = 8

type Binding = {
  readonly text: string
  readonly fields: readonly OrderingField[]
  /** The newest cursor first: those of the links of one page. */
  made: readonly Made[]
}

type Place = Readonly<{ id: Id; created_at: number | undefined; title: string | undefined }>
type Made = Place & Readonly<{ cursor: string }>

const bindings = new WeakMap<Query, Binding>()

/** What ties a cursor to its query. Kept with the query, as it would be half the cost of a cursor. */
const bindingOf = (query: Query): Binding => {
  const known = bindings.get(query)
  if (known !== undefined) return known
  const orders = effectiveOrders(query)
  const text = JSON.stringify([version, query.filter, orders])
  const binding = { text, fields: orders.map(({ field }) => field), made: [] }
  bindings.set(query, binding)
  return binding
}

/** A place in the order of a query, as text: a hash of both, and what the query sorts by. */
export const cursorOf = (query: Query, { id, created_at, title }: Position): string => {
  const binding = bindingOf(query)
  for (const known of binding.made)
    if (known.id === id && known.created_at === created_at && known.title === title) return known.cursor
  const cursor = newCursor(binding, { id, created_at, title })
  binding.made = [{ id, created_at, title, cursor }, ...binding.made.slice(0, 1)]
  return cursor
}

const newCursor = ({ text, fields }: Binding, { id, created_at, title }: Place): string => {
  const place = `${id},${fields.includes('created_at') ? created_at : ''},${fields.includes('title') ? title : ''}`
  return hash('sha256', text + place, 'base64url').slice(0, hashLength) + Buffer.from(place).toString('base64url')
}

/** The place that a cursor names. Undefined when it was not made for this query. */
export const positionOf = (query: Query, cursor: string): Position | undefined => {
  const text = Buffer.from(cursor.slice(hashLength), 'base64url').toString()
  const [, idText = '', time = '', title = ''] = /^([0-9]+),(-?[0-9]*),(.*)$/s.exec(text) ?? []
  const id = parseId(idText)
  if (O.isNone(id) || Math.abs(Number(time)) > latest) return undefined
  const position = { id: id.value, created_at: Number(time), title }
  return cursorOf(query, position) === cursor ? position : undefined
}

/** The largest time that a Date can have. */
const latest = 8.64e15

const base64Length = (bytes: number): number => Math.ceil((bytes * 4) / 3)

/** From that of the shortest id to that of the longest id, the longest time and a title of 100 four-byte characters. */
export const cursorLengths = {
  min: hashLength + base64Length(1 + 1 + 1),
  max: hashLength + base64Length(19 + 1 + 17 + 1 + 400),
}

/** The cursor of snippet 10 in the list of all by id. */
export const exampleCursor = 'CeittkU3MTAsLA'
