import * as t from 'io-ts'
import { codec } from '../values/codec.js'
import type { Id } from '../values/id.js'
import { validateText } from '../values/text.js'

export const usernameLimits = { min: 1, max: 150 } as const

/** The codec of a stored user without its id. */
export const userCodec = t.strict(
  { username: codec<string>('username', validateText('username', usernameLimits)) },
  'user',
)

export type User = Readonly<t.TypeOf<typeof userCodec> & { id: Id }>
