import type { UseCases } from '@snippets/application/use-cases.js'
import Koa from 'koa'
import { allowOrigins } from './access/cors.js'
import { requireToken } from './access/require-token.js'
import type { Token } from './access/token.js'
import type { LongResponses } from './load/long-responses.js'
import { checkRequest } from './middleware/check-request.js'
import { handleBodyError, handleErrors } from './middleware/handle-errors.js'
import { type Observe, observeWith } from './middleware/observe.js'
import { setRequestId } from './middleware/request-id.js'
import { withSchemaRoute } from './openapi/schema-route.js'
import { type BodyBytes, bodyReceiver } from './request/receive-body.js'
import { snippetRepresentation } from './response/snippet-representation.js'
import { configRoute } from './routes/config-route.js'
import { explicitSnippets } from './routes/explicit-snippets.js'
import { readOnlyRoutes, resourceRoutes } from './routes/generated-routes.js'
import { addRoutes } from './routes/router.js'
import { snippetsViewset } from './routes/snippets-viewset.js'
import { users } from './routes/users.js'

export type AppOptions = Readonly<{
  /** The version of the service, for its OpenAPI document. */
  version: string
  publicUrl: string
  useCases: UseCases
  observe: Observe
  /** Returns the valid tokens. Without this option, requests need no token. */
  tokens?: () => readonly Token[]
  /** Tells whether the authority of a request names this service. Without this option, every one does. */
  namesThisService?: (authority: string | undefined) => boolean
  bodyBytes: BodyBytes
  longResponses: LongResponses
  /** Origins whose pages may call the API from a browser. */
  corsOrigins: readonly string[]
}>

/** Creates an application that serves all routes and their OpenAPI document. */
export const createApp = (options: AppOptions): Koa => {
  const { version, publicUrl, useCases, observe, tokens, bodyBytes, longResponses, corsOrigins } = options
  const { namesThisService = () => true } = options
  const routeOptions = { publicUrl, longResponses }
  const representation = snippetRepresentation()
  const described = [
    ...explicitSnippets(useCases, representation, routeOptions),
    configRoute,
    ...resourceRoutes(snippetsViewset(useCases, representation), routeOptions),
    ...readOnlyRoutes(users(useCases), routeOptions),
  ]
  const routes = withSchemaRoute(described, publicUrl, version, tokens !== undefined)
  const app = new Koa()
  app.use(setRequestId)
  app.use(observeWith(observe))
  app.use(handleErrors)
  // before every step that responds, because a request with unreliable framing must close the connection
  app.use(checkRequest(namesThisService))
  // before the tokens, as a browser sends none with a preflight
  if (corsOrigins.length > 0) app.use(allowOrigins(corsOrigins))
  if (tokens !== undefined) app.use(requireToken(tokens))
  addRoutes(app, routes, publicUrl, bodyReceiver(bodyBytes))
  app.on('error', handleBodyError)
  return app
}
