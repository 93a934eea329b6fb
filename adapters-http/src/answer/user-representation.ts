import type { User } from '@snippets/domain/user.js'
import { exactObjectOf, idSchema } from './json-schema.js'
import type { Representation } from './representation.js'

export const userRepresentation: Representation<User> = {
  name: 'User',
  schema: exactObjectOf({ id: idSchema, username: { type: 'string' } }),
  example: { id: 1, username: 'ada' },
  isTagged: false,
  show: ({ id, username }) => ({ json: `{"id":${id},"username":${JSON.stringify(username)}}` }),
}
