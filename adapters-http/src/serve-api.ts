import type { UseCases } from '@snippets/application/use-cases.js'
import type Koa from 'koa'
import { checkRequest } from './middleware/check-request.js'
import { allowReading, answerPreflights } from './middleware/cors.js'
import { createApp, type Observe } from './middleware/create-app.js'
import { createRejecter } from './middleware/create-rejecter.js'
import { requireToken, type Token } from './middleware/tokens.js'
import { withSchemaRoute } from './openapi/document.js'
import { configRoute } from './routes/config-route.js'
import { createExplicitSnippetRoutes } from './routes/explicit-snippet-routes.js'
import { createReadOnlyRoutes, createResourceRoutes } from './routes/generated-routes.js'
import { addRoutes } from './routes/router.js'
import { makeSnippetResource } from './routes/snippet-resource.js'
import { makeUserResource } from './routes/user-resource.js'
import type { ServerLimits } from './server/limits.js'
import { type Address, type Bodies, listen, type Server } from './server/listen.js'

type ApiOptions = Readonly<{
  address: Address
  limits: Partial<ServerLimits>
  /** The version of the service, for its OpenAPI document. */
  version: string
  /**
   * Host names of the service. Without tokens, a local server answers only requests for them, IP addresses,
   * localhost and its subdomains.
   */
  hosts: readonly string[]
  /** The URL of the service for its clients. Empty if not set. */
  publicUrl: string
  useCases: UseCases
  observe: Observe
  /** Returns the valid tokens. Without this option, requests need no token. */
  tokens?: (() => readonly Token[]) | undefined
  /** Origins whose pages may call the API from a browser. */
  corsOrigins: readonly string[]
}>

/** Opens a server that serves the API within the limits. */
export const serveApi = (options: ApiOptions): Promise<Server> => {
  const rejecter = createRejecter(options.observe, options.corsOrigins)
  return listen(options.address, options.limits, rejecter, (isLocal, bodies) =>
    createApi(options, isLocal, bodies).callback(),
  )
}

/**
 * Creates an application that serves all routes and their OpenAPI document. `isLocal` tells whether only this machine
 * can reach the server. `bodies` receives and sends bodies within the limits of the server.
 */
const createApi = (options: ApiOptions, isLocal: boolean, bodies: Bodies): Koa => {
  const { hosts, publicUrl, useCases, tokens, corsOrigins } = options
  const routes = [
    ...createExplicitSnippetRoutes(useCases, publicUrl),
    configRoute,
    ...createResourceRoutes(makeSnippetResource(useCases), publicUrl),
    ...createReadOnlyRoutes(makeUserResource(useCases), publicUrl),
  ]
  // without tokens, a web page could reach the service by DNS rebinding
  const knownHosts = isLocal && tokens === undefined ? hosts : undefined
  const app = createApp(bodies, options.observe)
  if (corsOrigins.length > 0) app.use(allowReading(corsOrigins))
  // before every step that responds: after a malformed head, the response must close the connection
  app.use(checkRequest(knownHosts))
  // before the tokens, as a browser sends none with a preflight
  if (corsOrigins.length > 0) app.use(answerPreflights(corsOrigins))
  if (tokens !== undefined) app.use(requireToken(tokens))
  addRoutes(app, withSchemaRoute(routes, publicUrl, options.version, tokens !== undefined), publicUrl)
  return app
}
