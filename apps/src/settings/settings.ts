import { maxSnippetJsonBytes } from '@snippets/adapters-http/request/snippet-bodies.js'
import { defaultLimits } from '@snippets/adapters-http/server/limits.js'
import { type Decoded, faultsOf, fieldsDecoder } from '@snippets/domain/values/codec.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { logLevels } from '../logging/logger.js'
import { storageNames, storageSettings, storages } from '../storages/storages.js'
import type { Environment } from './environment.js'
import { findMisspellings } from './misspellings.js'
import {
  bytesPerMiB,
  hostName,
  httpUrl,
  oneOf,
  optional,
  origins,
  setting,
  usernames,
  wholeNumber,
} from './setting-parsers.js'

const { connections, unsentBytes, headBytes, headMs, requestMs, idleMs } = defaultLimits

const limit = (fallback: number, meaning: string, min: number, max: number) =>
  setting(String(fallback), meaning, wholeNumber(min, max))

const million = 1_000_000
const hourMs = 3_600_000

const settingDecoders = {
  HOST: setting('127.0.0.1', 'Address to listen on; `0.0.0.0` means every IPv4 address of the machine', hostName),
  PORT: setting('8000', 'Port to listen on; `0` means any free port', wholeNumber(0, 65_535)),
  STORAGE: setting(
    'memory',
    `Where snippets are stored: ${storageNames.map(name => `\`${name}\``).join(' or ')}`,
    oneOf(storageNames),
  ),
  ...storageSettings,
  USERS: setting('', 'Comma-separated usernames for `/api/users/`; the first gets id 1', usernames),
  PUBLIC_URL: setting('', 'Base URL of links; not set: the `Host` header of the request', optional(httpUrl)),
  LOG_LEVEL: setting(
    'info',
    `Least severe level to log on stderr: ${logLevels.map(level => `\`${level}\``).join(', ')}`,
    oneOf(logLevels),
  ),
  ACCESS_LOG: setting(
    'all',
    'Requests to log: `all`, `errors` (status 400 and above) or `off`',
    oneOf(['all', 'errors', 'off'] as const),
  ),
  ADMIN_PORT: setting('', 'Port of `/livez`, `/readyz` and `/metrics`; not set: off', optional(wholeNumber(0, 65_535))),
  ADMIN_HOST: setting('127.0.0.1', 'Address of `ADMIN_PORT`', hostName),
  API_TOKENS_FILE: setting('', 'Token file of `npm run token`; not set: requests need no token', optional(E.right)),
  CORS_ORIGINS: setting('', 'Comma-separated origins whose web pages may call the API, or `*`; not set: none', origins),
  DRAIN_DELAY_MS: limit(0, 'Milliseconds between `/readyz` turning to 503 and the stop', 0, hourMs),
  SHUTDOWN_GRACE_MS: limit(10_000, 'Milliseconds for requests in flight to finish at a stop', 0, hourMs),
  // these defaults, and those that the admin listener shares (`defaultLimits`), suit a container with one core and 512 MB
  MAX_CONNECTIONS: limit(
    connections,
    'Open connections; above it idle ones are closed, or the new one gets 503',
    1,
    million,
  ),
  MAX_REQUESTS: limit(2048, 'Concurrent requests; above it 503', 1, million),
  MAX_DELAY_MS: limit(500, 'Mean delay of the event loop in milliseconds; above it 503', 10, hourMs),
  MAX_LISTS: limit(64, 'Concurrent lists of all snippets; above it 503', 1, 10_000),
  MAX_UNSENT_MB: limit(
    unsentBytes / bytesPerMiB,
    'MiB of unsent responses; above it the clients with the most are disconnected, and long pages and lists get 503',
    1,
    100_000,
  ),
  MAX_HEAD_BYTES: limit(headBytes, 'Bytes of a request line and its header fields; above it 431', 1024, bytesPerMiB),
  MAX_BODY_BYTES: limit(256 * 1024, 'Bytes of a request body; above it 413', maxSnippetJsonBytes, 16 * bytesPerMiB),
  MAX_BODIES_MB: limit(32, 'MiB of all request bodies in progress; above it bodies over 8 KiB get 503', 1, 100_000),
  HEAD_TIMEOUT_MS: limit(headMs, 'Milliseconds for a request head to arrive, else 408', 100, hourMs),
  REQUEST_TIMEOUT_MS: limit(requestMs, 'Milliseconds for a request with its body to arrive, else 408', 100, hourMs),
  IDLE_TIMEOUT_MS: limit(idleMs, 'Milliseconds until an idle connection is closed', 100, hourMs),
}

const settingNames = Object.keys(settingDecoders)

/** The table in docs/settings.md. */
export const settingsTable = Object.entries(settingDecoders).map(([name, { fallback, meaning }]) => ({
  name,
  fallback,
  meaning,
}))

const settingsDecoder = fieldsDecoder('settings', settingDecoders)

/** The settings, by the names of their variables. */
export type Settings = Decoded<typeof settingDecoders>

/** Returns a message for each name that resembles an unset setting. */
export const misspelledSettings = (
  environment: Environment,
  names: readonly string[] = Object.keys(environment),
): readonly string[] => findMisspellings(environment, names, settingNames)

/**
 * Reads the settings. Left holds a message for each fault. A misspelled name in `.env` is a fault. A misspelled name in
 * the environment may belong to another program: it is listed beside other faults, or logged as a warning.
 */
export const readSettings = (
  environment: Environment,
  envFileNames: readonly string[] = [],
): E.Either<readonly string[], Settings> => {
  const decoded = settingsDecoder.decode(environment)
  const faults = E.isLeft(decoded)
    ? faultsOf(decoded.left).map(({ name, message }) => `${name} ${message}`)
    : conflicts(decoded.right)
  if (E.isLeft(decoded) || faults.length > 0) return E.left([...faults, ...misspelledSettings(environment)])
  const misspelledInFile = misspelledSettings(environment, envFileNames)
  return misspelledInFile.length > 0 ? E.left(misspelledInFile) : decoded
}

/** Returns the faults of settings that are valid alone, but not together. */
const conflicts = (settings: Settings): readonly string[] => {
  const { STORAGE, PORT, ADMIN_PORT } = settings
  const isTaken = PORT !== 0 && O.isSome(ADMIN_PORT) && ADMIN_PORT.value === PORT
  return [
    ...storages[STORAGE].faults(settings),
    ...(isTaken ? [`ADMIN_PORT is "${PORT}", like PORT; it must be another port`] : []),
  ]
}
