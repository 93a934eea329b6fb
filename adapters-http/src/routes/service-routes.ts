import type { UseCases } from '@snippets/application/use-cases.js'
import type * as O from 'fp-ts/lib/Option.js'
import { limitedLists } from '../answer/streamed-list.js'
import { defaultMaxBodyBytes } from '../request/json-body.js'
import { snippetBodies } from '../request/snippet-bodies.js'
import { linksFrom } from '../request/target.js'
import { explicitSnippets } from './explicit-snippets.js'
import { readOnlyRoutes, resourceRoutes } from './generated-routes.js'
import { limitsDocument } from './limits-document.js'
import type { Route } from './route.js'
import { snippetsViewset } from './snippets-viewset.js'
import { users } from './users.js'

export type RouteOptions = Readonly<{
  publicUrl: O.Option<string>
  /** How many unbounded lists may be sent at the same time. */
  maxLists?: number
  /** Bytes of a request's body. */
  maxBodyBytes?: number
}>

/** Every route of the service but that of the OpenAPI document, which is made from them. */
export const serviceRoutes = (
  useCases: UseCases,
  { publicUrl, maxLists = Number.POSITIVE_INFINITY, maxBodyBytes = defaultMaxBodyBytes }: RouteOptions,
): readonly Route[] => {
  const links = linksFrom(publicUrl)
  const bodies = snippetBodies(maxBodyBytes)
  return [
    ...explicitSnippets(useCases, { links, streamList: limitedLists(maxLists), bodies }),
    limitsDocument(links),
    ...resourceRoutes(snippetsViewset(useCases, bodies), links),
    ...readOnlyRoutes(users(useCases), links),
  ]
}
