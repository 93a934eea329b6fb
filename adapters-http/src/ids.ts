import type { RouterContext } from '@koa/router'
import { type NotFound, notFound } from '@snippets/domain/errors.js'
import { type Id, parseId } from '@snippets/domain/id.js'
import { type Either, fromOption } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'

/** What is no id is nobody's id. */
export const readId = ({ params }: RouterContext): Either<NotFound, Id> =>
  pipe(
    parseId(params.id ?? ''),
    fromOption(() => notFound),
  )
