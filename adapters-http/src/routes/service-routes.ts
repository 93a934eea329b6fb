import type { UseCases } from '@snippets/application/use-cases.js'
import type { ByteBudget } from '../load/byte-budget.js'
import type { Links } from '../request/links.js'
import { maxSnippetJsonBytes, snippetBodies } from '../request/snippet-bodies.js'
import { snippetRepresentation } from '../response/snippet-representation.js'
import { limitedStreamList } from '../response/streamed-list.js'
import { configRoute } from './config-route.js'
import { explicitSnippets } from './explicit-snippets.js'
import { readOnlyRoutes, resourceRoutes } from './generated-routes.js'
import type { Route } from './route.js'
import { snippetsViewset } from './snippets-viewset.js'
import { users } from './users.js'

/** Holds a snippet with every character escaped. */
export const defaultMaxBodyBytes = Math.max(256 * 1024, maxSnippetJsonBytes)

export type RouteOptions = Readonly<{
  /** The maximum number of complete lists that are streamed at a time. */
  maxLists: number
  maxBodyBytes: number
  /** The limit of all bodies in progress together. */
  bodyBudget: ByteBudget
  /** The limit of all long responses in progress whose items are already in memory. */
  longResponseBudget: ByteBudget
}>

/** Creates all routes except the route of the OpenAPI document. */
export const serviceRoutes = (
  useCases: UseCases,
  links: Links,
  { maxLists, maxBodyBytes, bodyBudget, longResponseBudget }: RouteOptions,
): readonly Route[] => {
  const bodies = snippetBodies({ maxBytes: maxBodyBytes, budget: bodyBudget })
  const representation = snippetRepresentation()
  const pages = { links, longResponseBudget }
  return [
    ...explicitSnippets(useCases, {
      links,
      streamList: limitedStreamList(maxLists, longResponseBudget),
      bodies,
      representation,
    }),
    configRoute(links),
    ...resourceRoutes(snippetsViewset(useCases, { bodies, representation }), pages),
    ...readOnlyRoutes(users(useCases), pages),
  ]
}
