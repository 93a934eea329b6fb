import type { Reason } from '@snippets/domain/codec.js'
import type { SnippetQuery } from '@snippets/domain/page.js'
import type { Seek, Side } from '@snippets/domain/position.js'
import * as E from 'fp-ts/lib/Either.js'
import { invalid, type Problem } from '../answer/problems.js'
import { cursorLengths, exampleCursor, positionOf } from './cursor.js'
import { type Parameter, parameter } from './parameter.js'

const cursorPattern = `^[A-Za-z0-9_-]{${cursorLengths.min},${cursorLengths.max}}$`
const isCursor = new RegExp(cursorPattern)

const badCursor = (side: Side) =>
  ({
    code: 'cursor',
    message: `${side} must come from a link of this list, with the same filters and ordering`,
  }) as const satisfies Reason

const cursorParameter = (side: Side, meaning: string): Parameter<string | undefined> =>
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

export const cursors = {
  after: cursorParameter('after', 'Where the page begins'),
  before: cursorParameter('before', 'Where the page ends'),
} satisfies Record<Side, unknown>

const bothSides = {
  parameter: 'before',
  code: 'cursor',
  message: 'before must not be used together with after',
} as const

/** The position that a query string names, if it names one. */
export const seekIn = (
  query: Pick<SnippetQuery, 'filter' | 'ordering'>,
  { after, before }: Readonly<Record<Side, string | undefined>>,
): E.Either<Problem, Seek | undefined> => {
  if (after !== undefined && before !== undefined) return E.left(invalid('invalid-query', [bothSides]))
  const side = after === undefined ? 'before' : 'after'
  const cursor = after ?? before
  if (cursor === undefined) return E.right(undefined)
  const position = positionOf(query, cursor)
  if (position === undefined) return E.left(invalid('invalid-query', [{ parameter: side, ...badCursor(side) }]))
  return E.right({ side, position })
}
