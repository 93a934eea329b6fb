import type { RequestListener } from 'node:http'
import type { Observe } from '@snippets/adapters-http/middleware/create-app.js'
import { createRejecter } from '@snippets/adapters-http/middleware/create-rejecter.js'
import type { Token } from '@snippets/adapters-http/middleware/tokens.js'
import { serveApi } from '@snippets/adapters-http/serve-api.js'
import type { ServerLimits } from '@snippets/adapters-http/server/limits.js'
import { listen, type Server } from '@snippets/adapters-http/server/listen.js'
import { createMemoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { createUseCases } from '@snippets/application/use-cases.js'
import { createAccessLog } from '@snippets/apps/logging/access-log.js'
import { version } from '@snippets/apps/version.js'
import type { User } from '@snippets/domain/entities/user.js'
import type { Clock, SnippetStore, UserStore } from '@snippets/domain/ports/stores.js'
import { httpClient } from '../http/http-client.js'
import { anId } from '../snippets.js'
import { recordingLog } from './logs.js'

export type InProcessService = Awaited<ReturnType<typeof startInProcess>>

export type ServiceOptions = Readonly<{
  firstId?: bigint
  users?: readonly User[]
  publicUrl?: string
  clock?: Clock
  limits?: Partial<ServerLimits>
  observe?: Observe
  tokens?: readonly Token[]
  corsOrigins?: readonly string[]
  /** Replaces or wraps the store in memory. */
  store?: (memory: SnippetStore) => SnippetStore
  userStore?: (memory: UserStore) => UserStore
}>

export const threeUsers: readonly User[] = ['ada', 'grace', 'edsger'].map((username, index) => ({
  id: anId(BigInt(index + 1)),
  username,
}))

const address = { host: '127.0.0.1', port: 0 }

/** Serves without the routes of the service. */
export const serveOnFreePort = (
  listener: RequestListener,
  limits: Partial<ServerLimits> = {},
  observe: Observe = () => {},
): Promise<Server> => listen(address, limits, createRejecter(observe, []), () => listener)

/** Starts the whole service in this process, on memory and a free port. In a describe block, see mocha-service.ts. */
export const startInProcess = async ({ tokens, ...options }: ServiceOptions = {}) => {
  const { log, lines } = recordingLog()
  const logFailure = createAccessLog(log, 'off')
  const memory = createMemoryStorage({ users: [], ...options }, options.firstId)
  const server = await serveApi({
    address,
    hosts: [],
    limits: {},
    version,
    publicUrl: '',
    corsOrigins: [],
    ...options,
    tokens: tokens && (() => tokens),
    observe: observation => {
      options.observe?.(observation)
      logFailure(observation)
    },
    useCases: createUseCases({
      snippets: options.store?.(memory.snippets) ?? memory.snippets,
      users: options.userStore?.(memory.users) ?? memory.users,
      clock: options.clock ?? { now: Date.now },
    }),
  })
  const client = httpClient(server.url)
  let ended: Promise<void> | undefined
  /** Stops the server like a signal; the client stays open. */
  const shutDown = (graceMs: number): Promise<void> => {
    ended ??= server.stop(graceMs)
    return ended
  }
  /** Closes the client and the server at once. */
  const stop = (): Promise<void> => {
    client.close()
    return shutDown(0)
  }
  return { ...server, client, log: lines, shutDown, stop }
}
