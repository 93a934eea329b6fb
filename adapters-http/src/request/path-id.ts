import { notFound } from '@snippets/domain/errors.js'
import { type Id, parseId } from '@snippets/domain/id.js'
import { fromOption } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Reader } from './reader.js'

/** A malformed id is NotFound, like an unknown one. */
export const pathId: Reader<Id> = {
  read: ({ params }) =>
    pipe(
      parseId(params.id ?? ''),
      fromOption(() => notFound),
    ),
  parameters: [
    {
      name: 'id',
      in: 'path',
      required: true,
      description: 'A decimal id, without sign or leading zeros.',
      schema: { type: 'string', pattern: '^[1-9][0-9]{0,18}$' },
      example: '1',
    },
  ],
  problems: ['not-found'],
}
