import type { RouterContext } from '@koa/router'
import { type Id, maxId, parseId } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import { flow } from 'fp-ts/lib/function.js'
import type * as O from 'fp-ts/lib/Option.js'
import { idSchema } from '../formats/openapi-objects.js'
import { makeProblem } from '../formats/problems.js'
import type { RequestReader } from './reader.js'

const detail = `The path has no valid id. An id is a whole number from 1 to ${maxId}, without sign or leading zeros.`

// `params` are percent-decoded: `%31` would be the id 1
export const idIn = ({ captures = [] }: RouterContext): O.Option<Id> => parseId(captures[0] ?? '')

/** Reads the id in the path. A malformed id gets the same status as an unknown id. */
export const pathIdReader: RequestReader<Id> = {
  read: flow(
    idIn,
    E.fromOption(() => makeProblem('not-found', { detail })),
  ),
  parameters: [
    {
      name: 'id',
      in: 'path',
      required: true,
      description: 'A decimal id, without sign or leading zeros.',
      schema: idSchema,
      example: 1,
    },
  ],
  problems: ['not-found'],
}
