import { type Id, maxId, parseId } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import { idSchema } from '../openapi-objects.js'
import { makeProblem } from '../problems.js'
import type { RequestReader } from './reader.js'

const detail = `The path has no valid id. An id is a whole number from 1 to ${maxId}, without sign or leading zeros.`

/** Reads the id in the path. A malformed id gets the same status as an unknown id. */
export const pathIdReader: RequestReader<Id> = {
  // `params` are percent-decoded, which an id must not need
  read: ({ captures = [] }) => E.fromOption(() => makeProblem('not-found', { detail }))(parseId(captures[0] ?? '')),
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
