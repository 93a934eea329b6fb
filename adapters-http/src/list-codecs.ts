import type { Filter, Order, Ordering, SnippetQuery, Window } from '@snippets/domain/page.js'
import { defaultPageSize, type FilterField, filterFields, maxPageSize, orderingFields } from '@snippets/domain/rules.js'
import { type Either, left, map, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import { codec, decodeWith } from './codec.js'
import type { Parameters } from './parameters.js'
import type { ProblemError } from './problem.js'

/** Past the end of any collection, and small enough that page times size is exact. */
const lastPage = 1_000_000_000_000

const positiveInteger = (parameter: string, absent: number, max: number) =>
  codec(parameter, (value): Either<ProblemError, number> => {
    if (value === undefined) return right(absent)
    if (typeof value === 'string' && /^[1-9][0-9]*$/.test(value)) return right(Math.min(Number(value), max))
    return left({ parameter, code: 'integer', message: `${parameter} must be a positive integer` })
  })

const windowFields = {
  page: positiveInteger('page', 1, lastPage),
  page_size: positiveInteger('page_size', defaultPageSize, maxPageSize),
}

const filterText = t.union([t.string, t.undefined])

const filters = { language: filterText, title: filterText } satisfies Record<FilterField, t.Mixed>

const ordering = codec('ordering', (value): Either<ProblemError, Ordering> => {
  if (value === undefined) return right([])
  const names = String(value).split(',')
  const orders = names.flatMap(orderOf)
  const isClear = orders.length === names.length && new Set(orders.map(({ field }) => field)).size === orders.length
  if (isClear) return right(orders)
  const message = `ordering must be a comma-separated list of ${orderingFields.join(', ')}, each once, with - before it for descending`
  return left({ parameter: 'ordering', code: 'ordering', message })
})

const orderOf = (name: string): readonly Order[] => {
  const descending = name.startsWith('-')
  const field = orderingFields.find(known => known === (descending ? name.slice(1) : name))
  return field === undefined ? [] : [{ field, direction: descending ? 'desc' : 'asc' }]
}

const windowCodec = t.type(windowFields)

export const windowParameters: Parameters<{ window: Window }> = {
  names: Object.keys(windowCodec.props),
  decode: values =>
    pipe(
      values,
      decodeWith(windowCodec),
      map(({ page, page_size }) => ({ window: { page, size: page_size } })),
    ),
}

const snippetListCodec = t.type({ ...windowFields, ...filters, ordering })

export const snippetParameters: Parameters<SnippetQuery> = {
  names: Object.keys(snippetListCodec.props),
  decode: values =>
    pipe(
      values,
      decodeWith(snippetListCodec),
      map(({ page, page_size, ordering, ...texts }) => ({
        filter: filterOf(texts),
        ordering,
        window: { page, size: page_size },
      })),
    ),
}

/** An empty text filters nothing. */
const filterOf = (texts: Readonly<Record<FilterField, string | undefined>>): Filter =>
  Object.fromEntries(filterFields.flatMap(field => (texts[field] ? [[field, texts[field]]] : [])))
