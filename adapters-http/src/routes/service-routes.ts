import type { UseCases } from '@snippets/application/use-cases.js'
import type { ByteBudget } from '../load/byte-budget.js'
import type { Links } from '../request/links.js'
import { maxSnippetJsonBytes, snippetBodies } from '../request/snippet-bodies.js'
import { snippetRepresentation } from '../response/snippet-representation.js'
import type { ListLimits } from '../response/streamed-list.js'
import { configRoute } from './config-route.js'
import { explicitSnippets } from './explicit-snippets.js'
import { readOnlyRoutes, resourceRoutes } from './generated-routes.js'
import type { Route } from './route.js'
import { snippetsViewset } from './snippets-viewset.js'
import { users } from './users.js'

/** The default suffices for a snippet with every character escaped. */
export const defaultMaxBodyBytes = Math.max(256 * 1024, maxSnippetJsonBytes)

export type RouteOptions = ListLimits &
  Readonly<{
    maxBodyBytes: number
    /** The limit of all bodies in progress together. */
    bodyBudget: ByteBudget
  }>

/** Creates all routes except the route of the OpenAPI document. */
export const serviceRoutes = (
  useCases: UseCases,
  links: Links,
  { maxBodyBytes, bodyBudget, lists, longResponses }: RouteOptions,
): readonly Route[] => {
  const bodies = snippetBodies({ maxBytes: maxBodyBytes, budget: bodyBudget })
  const representation = snippetRepresentation()
  const pages = { links, longResponses }
  return [
    ...explicitSnippets(useCases, { links, limits: { lists, longResponses }, bodies, representation }),
    configRoute,
    ...resourceRoutes(snippetsViewset(useCases, { bodies, representation }), pages),
    ...readOnlyRoutes(users(useCases), pages),
  ]
}
