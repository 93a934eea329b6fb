import { exampleContent } from '@snippets/domain/entities/snippet.js'
import { type Order, type Ordering, orderingFields, orderingOf } from '@snippets/domain/list/ordering.js'
import {
  defaultPageSize,
  type Filter,
  type FilterField,
  filterFields,
  maxPageSize,
  type SnippetQuery,
  type Window,
  windowOf,
} from '@snippets/domain/list/page.js'
import type { Seek, Side } from '@snippets/domain/list/position.js'
import { maxSearchLength, maxTerms, parseSearch, type Search, searchFields } from '@snippets/domain/list/search.js'
import { type Decoded, decoder, fieldsDecoder, type Reason } from '@snippets/domain/values/codec.js'
import { recordOf } from '@snippets/domain/values/record.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as t from 'io-ts'
import { invalid, type Problem, type ProblemName } from '../answer/problems.js'
import type { Schema } from '../json-schema.js'
import { cursorPattern, exampleCursor, positionOf } from './cursor.js'
import { decodeQuery } from './faults.js'
import { type Elsewhere, rawQuery, readValues } from './query-string.js'
import type { Reader } from './reader.js'

type Described = Readonly<{ description: string; schema: Schema; example: unknown }>

/** A parameter of a query string, and what the OpenAPI document says of it. */
type Parameter<A> = t.Decoder<unknown, A> & Described

const parameter = <A>(
  name: string,
  parse: (value: unknown) => E.Either<Reason, A>,
  described: Described,
): Parameter<A> => Object.assign(decoder(name, parse), described)

const positiveInteger = (name: string, absent: number, description: string): Parameter<number> =>
  parameter(
    name,
    value => {
      if (value === undefined) return E.right(absent)
      if (typeof value === 'string' && /^[1-9][0-9]*$/.test(value)) return E.right(Number(value))
      return E.left({ code: 'integer', message: `${name} must be a positive integer` })
    },
    { description, schema: { type: 'integer', minimum: 1, default: absent }, example: absent },
  )

const windowParameters = {
  page: positiveInteger('page', 1, 'The number of the page.'),
  page_size: positiveInteger(
    'page_size',
    defaultPageSize,
    `The number of items on a page; above ${maxPageSize} it is ${maxPageSize}.`,
  ),
}

/** An empty text is no filter. */
const fieldFilter = (field: FilterField): Parameter<string | undefined> =>
  parameter(field, value => E.right(typeof value === 'string' && value !== '' ? value : undefined), {
    description: `Only items whose ${field} is exactly this; empty for all.`,
    schema: { type: 'string' },
    example: exampleContent[field],
  })

const search: Parameter<Search | undefined> = parameter(
  'search',
  value => pipe(parseSearch(typeof value === 'string' ? value : ''), E.map(O.toUndefined)),
  {
    description: `Only items that hold every term in ${searchFields.join(' or ')}, whatever its case. White space separates terms, at most ${maxTerms}; a term in double quotes may hold some. Empty for all.`,
    schema: { type: 'string', maxLength: maxSearchLength },
    example: '"hello world" print',
  },
)

const filterParameters = { ...recordOf(filterFields, fieldFilter), search } satisfies {
  [F in keyof Filter]-?: Parameter<Filter[F]>
}

const direction = orderingFields.flatMap(field => [field, `-${field}`]).join('|')

const badOrdering: Reason = {
  code: 'ordering',
  message: `ordering must be a comma-separated list of ${orderingFields.join(', ')}, each at most once, with a leading - for descending`,
}

const parseOrdering = (value: unknown): E.Either<Reason, Ordering> => {
  const names = value === undefined ? [] : String(value).split(',')
  const orders = names.flatMap(orderOf)
  if (orders.length < names.length) return E.left(badOrdering)
  return pipe(
    orderingOf(orders),
    E.fromOption(() => badOrdering),
  )
}

const orderOf = (name: string): readonly Order[] => {
  const descending = name.startsWith('-')
  const field = orderingFields.find(known => known === (descending ? name.slice(1) : name))
  return field === undefined ? [] : [{ field, direction: descending ? 'desc' : 'asc' }]
}

const ordering = parameter('ordering', parseOrdering, {
  description: `A comma-separated list of ${orderingFields.join(', ')}; prefix a field with - to sort descending. The id breaks ties, in the direction of the last field.`,
  schema: { type: 'string', pattern: `^(${direction})(,(${direction}))*$` },
  example: '-created_at',
})

const isCursor = new RegExp(cursorPattern)

const badCursor = (side: Side) =>
  ({
    code: 'cursor',
    message: `${side} must come from a link of this list, with the same filters, search and ordering`,
  }) as const satisfies Reason

const cursor = (side: Side, meaning: string): Parameter<string | undefined> =>
  parameter(
    side,
    value => {
      if (value === undefined) return E.right(value)
      return typeof value === 'string' && isCursor.test(value) ? E.right(value) : E.left(badCursor(side))
    },
    {
      description: `${meaning}, as links name it. \`page\` is then only a number to show.`,
      schema: { type: 'string', pattern: cursorPattern },
      example: exampleCursor,
    },
  )

const cursors = {
  after: cursor('after', 'Where the page begins'),
  before: cursor('before', 'Where the page ends'),
} satisfies Record<Side, unknown>

const bothSides = {
  parameter: 'before',
  code: 'cursor',
  message: 'before must not be used together with after',
} as const

/** The position that a query string names, if it names one. */
const seekIn = (
  query: Pick<SnippetQuery, 'filter' | 'ordering'>,
  { after, before }: Readonly<Record<Side, string | undefined>>,
): E.Either<Problem, Seek | undefined> => {
  if (after !== undefined && before !== undefined) return E.left(invalid('invalid-query', [bothSides]))
  const side = after === undefined ? 'before' : 'after'
  const named = after ?? before
  if (named === undefined) return E.right(undefined)
  return pipe(
    positionOf(query, named),
    E.fromOption(() => invalid('invalid-query', [{ parameter: side, ...badCursor(side) }])),
    E.map(position => ({ side, position })),
  )
}

const queryProblems = ['invalid-query', 'query-too-long'] as const satisfies readonly ProblemName[]

/** What a list takes from its query string; anything else there is refused. */
const query = <P extends Record<string, Parameter<unknown>>, Q>(
  parameters: P,
  toQuery: (values: Decoded<P>) => E.Either<Problem, Q>,
  elsewhere?: Elsewhere,
): Reader<Q> & Readonly<{ names: readonly string[] }> => {
  const names = Object.keys(parameters)
  const values = fieldsDecoder('query', parameters)
  return {
    names,
    read: ctx =>
      pipe(
        readValues(rawQuery(ctx), names, elsewhere),
        E.chain(texts => decodeQuery(values, texts)),
        E.chain(toQuery),
      ),
    parameters: Object.entries(parameters).map(([name, { description, schema, example }]) => ({
      name,
      in: 'query',
      description,
      schema,
      example,
    })),
    problems: queryProblems,
  }
}

export const windowQuery = query(windowParameters, ({ page, page_size }) =>
  E.right<Problem, { window: Window }>({ window: windowOf(page, page_size) }),
)

const listedQuery = query(
  { ...windowParameters, ...filterParameters, ordering, ...cursors },
  ({ page, page_size, ordering, after, before, ...filters }): E.Either<Problem, SnippetQuery> => {
    const listed = { filter: filterOf(filters), ordering, window: windowOf(page, page_size) }
    return pipe(
      seekIn(listed, { after, before }),
      E.map(seek => (seek === undefined ? listed : { ...listed, seek })),
    )
  },
)

export const snippetQuery: typeof listedQuery = { ...listedQuery, problems: [...queryProblems, 'search-too-broad'] }

/** A list without parameters. Who sends some means the list at the other path. */
export const noQuery = (path: string): Reader<undefined> =>
  query({}, () => E.right(undefined), { path, names: snippetQuery.names })

/** In one order, whatever that of the query string, as cursors are bound to it. */
const filterOf = (filters: Readonly<Record<string, unknown>>): Filter =>
  Object.fromEntries(
    Object.keys(filterParameters).flatMap(name => (filters[name] === undefined ? [] : [[name, filters[name]]])),
  )
