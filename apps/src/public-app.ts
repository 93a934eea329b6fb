import { createApp } from '@snippets/adapters-http/app.js'
import type { Token } from '@snippets/adapters-http/doors/token.js'
import type { Observe } from '@snippets/adapters-http/koa/observation.js'
import { foreseeUnavailable } from '@snippets/adapters-http/routes/foresee-unavailable.js'
import type { listen } from '@snippets/adapters-http/server/listen.js'
import type { RefusalOptions } from '@snippets/adapters-http/server/refusal.js'
import { useCases } from '@snippets/application/use-cases.js'
import type { Log } from './log.js'
import { accessLog } from './logging/access-log.js'
import { logLevels, type Settings } from './settings/settings.js'
import type { Storage } from './storage.js'

type Parts = Readonly<{
  storage: Pick<Storage, 'snippets' | 'users' | 'isBusy'>
  log: Log
  /** Undefined where no request needs a token. */
  tokens: (() => readonly Token[]) | undefined
  observe: Observe | undefined
}>

/** The request listener of the public port, and the options for requests refused before it runs. */
export type PublicApp = Readonly<{ listener: Parameters<typeof listen>[0]; refusals: RefusalOptions }>

/** Middleware that is off is neither loaded nor added, so it costs nothing. */
export const publicApp = async (settings: Settings, parts: Parts): Promise<PublicApp> => {
  const { storage, log, tokens } = parts
  const { isBusy } = storage
  const observe = both(parts.observe, accessLogOf(settings, log))
  const app = createApp({
    useCases: useCases({ snippets: storage.snippets, users: storage.users, clock: { now: Date.now } }),
    log,
    publicUrl: settings.publicUrl,
    maxLists: settings.maxLists,
    maxBodyBytes: settings.maxBodyBytes,
    ...(observe && { observe }),
    needsToken: tokens !== undefined,
  })
  // first, as a browser sends no token with a preflight
  const cors = await corsOf(settings)
  if (cors !== undefined) app.use(cors.middleware)
  if (tokens !== undefined)
    app.use((await import('@snippets/adapters-http/doors/require-token.js')).requireToken(tokens))
  const refusals = {
    ...(observe && { observe }),
    ...cors?.refusals,
    ...(isBusy && { foresee: foreseeUnavailable(isBusy) }),
  }
  return { listener: app.callback(), refusals }
}

const corsOf = async ({ corsOrigins }: Settings) => {
  if (corsOrigins.length === 0) return undefined
  const { allowOrigins, corsHeaders, preflightHeaders } = await import('@snippets/adapters-http/doors/cors.js')
  return {
    middleware: allowOrigins(corsOrigins),
    refusals: { headersFor: corsHeaders(corsOrigins), preflightHeaders: preflightHeaders(corsOrigins) },
  }
}

/** Undefined where nobody would see a line. */
const accessLogOf = ({ accessLog: mode, logLevel }: Settings, { writeLine }: Log): Observe | undefined => {
  const isQuiet = logLevels.indexOf(logLevel) < logLevels.indexOf('info') || logLevel === 'silent'
  return isQuiet || writeLine === undefined ? undefined : accessLog(mode, writeLine)
}

const both = (first: Observe | undefined, second: Observe | undefined): Observe | undefined => {
  if (first === undefined || second === undefined) return first ?? second
  return observation => {
    first(observation)
    second(observation)
  }
}
