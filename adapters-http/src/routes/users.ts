import type { UseCases } from '@snippets/application/use-cases.js'
import type { Window } from '@snippets/domain/page.js'
import type { User } from '@snippets/domain/user.js'
import { userRepresentation } from '../answer/user-representation.js'
import { windowQuery } from '../request/list-query.js'
import type { ReadOnlyResource } from './generated-routes.js'

export const users = (useCases: UseCases): ReadOnlyResource<User, { window: Window }> => ({
  path: '/api/users/',
  tag: 'Users',
  name: { one: 'User', many: 'Users', spoken: 'user' },
  representation: userRepresentation,
  query: windowQuery,
  list: ({ window }) => useCases.pageUsers(window),
  retrieve: useCases.retrieveUser,
})
