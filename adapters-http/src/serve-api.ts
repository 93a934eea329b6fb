import { type AppOptions, createApp } from './app.js'
import { createHostCheck } from './middleware/host-check.js'
import { createRejecter } from './middleware/rejections.js'
import { receiveBodyWith } from './request/receive-body.js'
import { type BodyBytes, createBodyReceiver } from './server/body-receiver.js'
import { Budget } from './server/budget.js'
import { createExclusiveTurns } from './server/exclusive-turn.js'
import { defaultLimits, type ServerLimits } from './server/limits.js'
import { type Address, listen, type Server } from './server/listen.js'
import { LongBodies } from './server/long-bodies.js'

export type ApiOptions = Omit<AppOptions, 'isKnownHost' | 'receiveBody' | 'longBodies'> &
  Readonly<{ address: Address; limits: Partial<ServerLimits> }>

export type ApiServer = Server &
  Readonly<{
    /** The memory that long bodies of requests hold. */
    bodyBytes: () => number
    /** The memory that long responses hold. */
    unsentBytes: () => number
  }>

/** Opens a server that serves the API within the limits. */
export const serveApi = async ({ address, limits, ...options }: ApiOptions): Promise<ApiServer> => {
  const { publicUrl, tokens, observe, corsOrigins } = options
  const { bodyBytes, unsentBytes } = { ...defaultLimits, ...limits }
  const nextTurn = createExclusiveTurns()
  const bodies: BodyBytes = new Budget(bodyBytes)
  const longBodies = new LongBodies(unsentBytes, nextTurn)
  const knownHosts = [address.host, ...(publicUrl === '' ? [] : [new URL(publicUrl).hostname])]
  const server = await listen(address, limits, createRejecter(observe, corsOrigins), isLocal =>
    createApp({
      ...options,
      // without tokens, a web page could reach the service by DNS rebinding
      isKnownHost: isLocal && tokens === undefined ? createHostCheck(knownHosts) : () => true,
      receiveBody: receiveBodyWith(createBodyReceiver(bodies, nextTurn)),
      longBodies,
    }).callback(),
  )
  return {
    ...server,
    closedConnections: () => server.closedConnections() + longBodies.closed,
    bodyBytes: () => bodies.reserved,
    unsentBytes: () => longBodies.reserved,
  }
}
