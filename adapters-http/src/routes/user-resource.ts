import type { UseCases } from '@snippets/application/use-cases.js'
import { type User, usernameLimits } from '@snippets/domain/entities/user.js'
import type { Window } from '@snippets/domain/queries/page.js'
import { windowReader } from '../request/list-query.js'
import { idSchema, objectSchema } from '../response/openapi-objects.js'
import { makeHashedItem, type Representation } from '../response/response.js'
import type { ReadOnlyResource } from './generated-routes.js'
import { howToGet, howToList, responsesToList, responsesToRead } from './operations.js'

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

const tags = ['Users']

const operations = {
  list: {
    operationId: 'listUsers',
    summary: 'List users page by page',
    description: howToList,
    tags,
    responses: responsesToList(representation),
  },
  get: {
    operationId: 'getUser',
    summary: 'Get a user',
    description: howToGet,
    tags,
    responses: responsesToRead('The item.', representation),
  },
}

export const makeUserResource = (useCases: UseCases): ReadOnlyResource<User, { window: Window }> => ({
  path: '/api/users/',
  representation,
  operations,
  listReader: windowReader,
  list: ({ window }) => useCases.pageUsers(window),
  retrieve: useCases.retrieveUser,
})
