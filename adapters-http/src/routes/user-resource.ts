import type { UseCases } from '@snippets/application/use-cases.js'
import { type User, usernameLimits } from '@snippets/domain/entities/user.js'
import type { Window } from '@snippets/domain/queries/page.js'
import { idSchema, objectSchema } from '../formats/openapi-objects.js'
import { windowReader } from '../request/list-query.js'
import { makeHashedItem, type Representation } from '../response/response.js'
import type { ReadOnlyResource } from './generated-routes.js'

const representation: Representation<User> = {
  name: 'User',
  schema: objectSchema('A user, whom the operator has added.', {
    id: { ...idSchema, description: 'The id of the user.' },
    username: {
      type: 'string',
      minLength: usernameLimits.min,
      maxLength: usernameLimits.max,
      description: 'The name of the user.',
    },
  }),
  example: { id: 1, username: 'ada' },
  render: ({ id, username }) => makeHashedItem(`{"id":${id},"username":${JSON.stringify(username)}}`),
}

export const makeUserResource = (useCases: UseCases): ReadOnlyResource<User, { window: Window }> => ({
  path: '/api/users/',
  representation,
  listReader: windowReader,
  list: ({ window }) => useCases.pageUsers(window),
  get: useCases.getUser,
})
