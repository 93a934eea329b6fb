import type { RequestListener } from 'node:http'
import { type AppOptions, createApp } from '@snippets/adapters-http/app.js'
import type { Observe } from '@snippets/adapters-http/middleware/observe.js'
import { rejecter } from '@snippets/adapters-http/middleware/rejections.js'
import type { Token } from '@snippets/adapters-http/middleware/token.js'
import { Budget } from '@snippets/adapters-http/server/budget.js'
import type { ServerLimits } from '@snippets/adapters-http/server/limits.js'
import { listen, type Server } from '@snippets/adapters-http/server/listen.js'
import { longResponseBudget } from '@snippets/adapters-http/server/long-responses.js'
import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { useCases } from '@snippets/application/use-cases.js'
import { accessLog } from '@snippets/apps/logging/access-log.js'
import { bytesPerMiB } from '@snippets/apps/setting-parsers.js'
import { readSettings } from '@snippets/apps/settings/settings.js'
import { version } from '@snippets/apps/version.js'
import type { User } from '@snippets/domain/entities/user.js'
import type { Clock, SnippetStore, UserStore } from '@snippets/domain/ports/stores.js'
import { httpClient } from '../http/http-client.js'
import { anId, must } from '../snippets.js'
import { recordingLog } from './logs.js'

export type InProcessService = Awaited<ReturnType<typeof startInProcess>>

export type ServiceOptions = Partial<Pick<AppOptions, 'bodyBytes' | 'longResponses'>> &
  Readonly<{
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

/** Serves on 127.0.0.1. */
export const serveOnFreePort = async (
  listener: RequestListener,
  limits: Partial<ServerLimits> = {},
  observe: Observe = () => {},
  corsOrigins: readonly string[] = [],
): Promise<Server> => {
  const server = await listen({ host: '127.0.0.1', port: 0 }, limits, rejecter(observe, corsOrigins))
  server.serve(listener)
  return server
}

/** Starts the whole service in this process, on memory and a free port. In a describe block, see mocha-service.ts. */
export const startInProcess = async (options: ServiceOptions = {}) => {
  const { log, lines } = recordingLog()
  const logFailure = accessLog(log, 'off')
  const observe: Observe = observation => {
    options.observe?.(observation)
    logFailure(observation)
  }
  const listener = appOf({ ...options, observe }).callback()
  const server = await serveOnFreePort(listener, options.limits, observe, options.corsOrigins)
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

/** Creates the app with the defaults of the settings. */
const appOf = ({ publicUrl = '', tokens, ...options }: ServiceOptions & Pick<AppOptions, 'observe'>) => {
  const memory = memoryStorage({ users: [], ...options })
  const { MAX_BODIES_MB, MAX_UNSENT_MB } = must(readSettings({}))
  return createApp({
    version,
    bodyBytes: new Budget(MAX_BODIES_MB * bytesPerMiB),
    longResponses: longResponseBudget(MAX_UNSENT_MB * bytesPerMiB),
    corsOrigins: [],
    isKnownHost: () => true,
    ...options,
    ...(tokens && { tokens: () => tokens }),
    publicUrl,
    useCases: useCases({
      snippets: options.store?.(memory.snippets) ?? memory.snippets,
      users: options.userStore?.(memory.users) ?? memory.users,
      clock: options.clock ?? { now: Date.now },
    }),
  })
}
