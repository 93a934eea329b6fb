import type { UseCases } from '@snippets/application/use-cases.js'
import type { Option } from 'fp-ts/lib/Option.js'
import { limitedLists } from '../answer/streamed-list.js'
import { linksFrom } from '../request/links.js'
import { explicitSnippets } from './explicit-snippets.js'
import { readOnlyRoutes, resourceRoutes } from './generated-routes.js'
import { limitsDocument } from './limits-document.js'
import type { Route } from './route.js'
import { snippetsViewset } from './snippets-viewset.js'
import { users } from './users.js'

export type RouteOptions = Readonly<{
  publicUrl: Option<string>
  /** How many unbounded lists may be sent at the same time. */
  maxLists?: number
}>

/** Every route of the service but that of the OpenAPI document, which is made from them. */
export const serviceRoutes = (
  useCases: UseCases,
  { publicUrl, maxLists = Number.POSITIVE_INFINITY }: RouteOptions,
): readonly Route[] => {
  const links = linksFrom(publicUrl)
  return [
    ...explicitSnippets(useCases, { links, streamList: limitedLists(maxLists) }),
    limitsDocument(links),
    ...resourceRoutes(snippetsViewset(useCases), links),
    ...readOnlyRoutes(users(useCases), links),
  ]
}
