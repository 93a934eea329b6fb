import { exampleContent } from '@snippets/domain/entities/snippet.js'
import {
  type Filter,
  filterFields,
  maxSearchLength,
  maxSearchTerms,
  parseSearch,
  searchFields,
} from '@snippets/domain/queries/filter.js'
import {
  defaultOrdering,
  makeOrdering,
  type Ordering,
  orderingFields,
  type SortKey,
} from '@snippets/domain/queries/ordering.js'
import { defaultPageSize, makeWindow, maxPageSize, type SnippetQuery } from '@snippets/domain/queries/page.js'
import type { Position, Side } from '@snippets/domain/queries/position.js'
import type { NamedReason } from '@snippets/domain/values/codec.js'
import { makeRecord } from '@snippets/domain/values/record.js'
import * as E from 'fp-ts/lib/Either.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as R from 'fp-ts/lib/Record.js'
import type { Schema } from '../formats/openapi-objects.js'
import { makeValidationProblem, type Problem, type RequestReason } from '../formats/problems.js'
import { createCursorCodec } from './cursor.js'
import { parseQueryString } from './query-string.js'
import type { RequestReader } from './reader.js'

/** A parameter of a query string, and its description in the OpenAPI document. */
type QueryParameter<A> = Readonly<{
  /** Decodes the text of the parameter. The text is empty if the parameter is missing. */
  decode: (text: string) => E.Either<RequestReason, A>
  description: string
  schema: Schema
  example?: unknown
}>

const positiveInteger = (name: string, defaultValue: number, description: string): QueryParameter<number> => {
  const notPositive: RequestReason = { code: 'integer', message: `${name} must be a positive integer` }
  return {
    decode: text => {
      if (text === '') return E.right(defaultValue)
      return /^[1-9][0-9]*$/.test(text) ? E.right(Number(text)) : E.left(notPositive)
    },
    description,
    schema: { type: 'integer', minimum: 1, default: defaultValue },
    example: defaultValue,
  }
}

const windowParameters = {
  page: positiveInteger('page', 1, 'The number of the page.'),
  page_size: positiveInteger(
    'page_size',
    defaultPageSize,
    `The number of items on a page, at most ${maxPageSize}. A larger number counts as ${maxPageSize}.`,
  ),
}

const isPresent = (text: string | undefined) => text !== undefined

const optionalText = (text: string): E.Either<RequestReason, string | undefined> => E.right(text || undefined)

const filterParameters = {
  ...makeRecord(filterFields, field => ({
    decode: optionalText,
    description: `Only items with exactly this ${field}; empty for all.`,
    schema: { type: 'string' },
    example: exampleContent[field],
  })),
  search: {
    decode: flow(parseSearch, E.map(O.toUndefined)),
    description: `Only items that contain every term in ${searchFields.join(' or ')}, ignoring case. White space separates the terms, at most ${maxSearchTerms}. Double quotes around a term keep its white space; an unpaired quote is an ordinary character. Empty for all.`,
    schema: { type: 'string', maxLength: maxSearchLength },
    example: 'hello',
  },
} satisfies {
  [F in keyof Filter]-?: QueryParameter<Filter[F] | undefined>
}

const badOrdering: RequestReason = {
  code: 'ordering',
  message: `ordering must be a comma-separated list of ${orderingFields.join(', ')}, each at most once, with a leading - for descending`,
}

const parseOrdering = (text: string): E.Either<RequestReason, Ordering> => {
  if (text === '') return E.right(defaultOrdering)
  const sortKeys: SortKey[] = []
  for (const name of text.split(',')) {
    const isDescending = name.startsWith('-')
    const field = orderingFields.find(known => known === (isDescending ? name.slice(1) : name))
    if (field === undefined) return E.left(badOrdering)
    sortKeys.push({ field, direction: isDescending ? 'desc' : 'asc' })
  }
  return pipe(
    makeOrdering(sortKeys),
    E.fromOption(() => badOrdering),
  )
}

const orderingParameter = {
  decode: parseOrdering,
  description: `A comma-separated list of ${orderingFields.join(', ')}; prefix a field with - to sort descending. A filtered field does not sort. Equal items sort by id, in the direction of the last ordering field that is not filtered.`,
  schema: { type: 'string' },
  example: '-created_at',
}

const badCursor = (side: Side): Problem => {
  const message = `${side} must come from a link of this list, with the same filters, search and ordering, and without the other cursor`
  return makeValidationProblem('invalid-query', [{ name: side, code: 'cursor', message }])
}

const cursorParameter = (meaning: string): QueryParameter<string | undefined> => ({
  decode: optionalText,
  description: `${meaning}: a cursor from a link of the list, never both \`after\` and \`before\`. No item comes twice or is left out while others are created and deleted. \`page\` has no effect then.`,
  schema: { type: 'string' },
})

/** A query, and the parts of links to its other pages. */
export type ListRequest<A, Q> = Readonly<{
  query: Q
  /** The parameters that select and order items, as the client wrote them. Each ends with `&`. */
  listingParameters: string
  /** Returns the cursor of an item in the order of the query. Without this function, links have only page numbers. */
  cursorOf?: (item: A) => string
}>

const queryProblems = ['bad-request', 'invalid-query'] as const
const searchProblems = [...queryProblems, 'unavailable', 'overloaded', 'search-too-broad'] as const

type ListReader<A, Q> = RequestReader<ListRequest<A, Q>> & Readonly<{ names: readonly string[] }>

type QueryParameters = Readonly<Record<string, QueryParameter<unknown>>>

type ParameterValues<P> = { readonly [Name in keyof P]: P[Name] extends QueryParameter<infer A> ? A : never }

/** Creates a reader of query strings with these parameters. The `listing` parameters select and order items. */
const createListReader = <P extends QueryParameters, A, Q>(
  parameters: P,
  listing: readonly string[],
  toRequest: (values: ParameterValues<P>) => E.Either<Problem, Omit<ListRequest<A, Q>, 'listingParameters'>>,
): ListReader<A, Q> => {
  const named = Object.entries(parameters)
  const names = Object.keys(parameters)
  return {
    names,
    read: ({ querystring }) => {
      const parsed = parseQueryString(querystring, { allowed: names, listing })
      if (E.isLeft(parsed)) return parsed
      const { texts, listingParameters } = parsed.right
      const values: Record<string, unknown> = {}
      const reasons: NamedReason<RequestReason>[] = []
      for (const [name, { decode }] of named) {
        const value = decode(texts[name] ?? '')
        if (E.isLeft(value)) reasons.push({ name, ...value.left })
        else values[name] = value.right
      }
      if (reasons.length > 0) return E.left(makeValidationProblem('invalid-query', reasons))
      // the compiler cannot infer from a loop that each value has the type of its parameter
      const request = toRequest(values as ParameterValues<P>)
      return E.isLeft(request) ? request : E.right({ ...request.right, listingParameters })
    },
    parameters: named.map(([name, { decode, ...described }]) => ({ name, in: 'query', ...described })),
    problems: names.includes('search') ? searchProblems : queryProblems,
  }
}

export const windowReader = createListReader(windowParameters, [], ({ page, page_size }) =>
  E.right({ query: { window: makeWindow(page, page_size) } }),
)

export const snippetQueryReader: ListReader<Position, SnippetQuery> = createListReader(
  {
    ...windowParameters,
    ...filterParameters,
    ordering: orderingParameter,
    after: cursorParameter('Where the page begins'),
    before: cursorParameter('Where the page ends'),
  },
  [...Object.keys(filterParameters), 'ordering'],
  ({ page, page_size, search, ordering, after, before, ...exactTexts }) => {
    const filter: Filter = { ...R.filter(isPresent)(exactTexts), ...(search && { search }) }
    const query = { filter, ordering, window: makeWindow(page, page_size) }
    const { cursorOf, positionOf } = createCursorCodec(query)
    const cursor = before ?? after
    if (cursor === undefined) return E.right({ query, cursorOf })
    const side = before === undefined ? 'after' : 'before'
    return pipe(
      after !== undefined && before !== undefined ? O.none : positionOf(cursor),
      E.fromOption(() => badCursor(side)),
      E.map(position => ({ query: { ...query, seek: { side, position } }, cursorOf })),
    )
  },
)

/** Creates a reader that rejects all parameters. The problem names those of the list at `otherPath`. */
export const createNoParametersReader = (otherPath: string): RequestReader<unknown> => {
  const hint = `this list takes no parameters; ${otherPath} takes ${snippetQueryReader.names.join(', ')}`
  return { read: ({ querystring }) => parseQueryString(querystring, { hint }), problems: queryProblems }
}
