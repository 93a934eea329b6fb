import type { UseCases } from '@snippets/application/use-cases.js'
import { snippetRepresentation } from '../response/snippet-representation.js'
import { configRoute } from './config-route.js'
import { explicitSnippets } from './explicit-snippets.js'
import { readOnlyRoutes, resourceRoutes } from './generated-routes.js'
import type { Route, RouteOptions } from './route.js'
import { snippetsViewset } from './snippets-viewset.js'
import { users } from './users.js'

/** Creates all routes except the route of the OpenAPI document. */
export const serviceRoutes = (useCases: UseCases, options: RouteOptions): readonly Route[] => {
  const representation = snippetRepresentation()
  return [
    ...explicitSnippets(useCases, representation, options),
    configRoute,
    ...resourceRoutes(snippetsViewset(useCases, representation), options),
    ...readOnlyRoutes(users(useCases), options),
  ]
}
