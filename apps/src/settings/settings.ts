import { defaultLoadLimits } from '@snippets/adapters-http/middleware/limit-load.js'
import { defaultMaxBodiesBytes, defaultMaxBodyBytes } from '@snippets/adapters-http/request/json-body.js'
import { leastMaxBodyBytes } from '@snippets/adapters-http/request/snippet-bodies.js'
import { defaultLimits } from '@snippets/adapters-http/server/limits.js'
import { type Decoded, faultsOf, fieldsDecoder } from '@snippets/domain/values/codec.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { logLevels } from '../logging/logger.js'
import { storageNames, storageSettings, storages } from '../storages/storages.js'
import type { Environment } from './environment.js'
import { findMisspellings } from './misspellings.js'
import {
  bytesPerMb,
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
const { maxRequests, maxDelayMs } = defaultLoadLimits

const limit = (fallback: number, meaning: string, min: number, max: number) =>
  setting(String(fallback), meaning, wholeNumber(min, max))

const millions = 1_000_000
const hour = 3_600_000

const variables = {
  HOST: setting('127.0.0.1', 'Address to listen on; `0.0.0.0` means every IPv4 address of the machine', hostName),
  PORT: setting('8000', 'Port to listen on; `0` means any free port', wholeNumber(0, 65_535)),
  STORAGE: setting(
    'memory',
    `Where snippets are stored: ${storageNames.map(name => `\`${name}\``).join(' or ')}`,
    oneOf(storageNames),
  ),
  ...storageSettings,
  USERS: setting('', 'Comma-separated usernames for `/api/users/`; the first gets id 1', usernames),
  PUBLIC_URL: setting(
    '',
    'Base URL of the links in answers; not set: taken from the `Host` header of the request',
    optional(httpUrl),
  ),
  LOG_LEVEL: setting(
    'info',
    `Least severe level to log on stderr: ${logLevels.map(level => `\`${level}\``).join(', ')}`,
    oneOf(logLevels),
  ),
  ACCESS_LOG: setting(
    'all',
    'Which requests are logged: `all`, `errors` (those with a status of 400 and above) or `off`',
    oneOf(['all', 'errors', 'off'] as const),
  ),
  ADMIN_PORT: setting(
    '',
    'Port of `/livez`, `/readyz` and `/metrics`; not set: they are not served',
    optional(wholeNumber(0, 65_535)),
  ),
  ADMIN_HOST: setting('127.0.0.1', 'Address that `ADMIN_PORT` is on', hostName),
  API_TOKENS_FILE: setting(
    '',
    'File with the tokens that `npm run token` makes; not set: no request needs a token',
    optional(E.right),
  ),
  CORS_ORIGINS: setting(
    '',
    'Comma-separated origins whose pages may call the API from a browser, or `*` for all; not set: none',
    origins,
  ),
  DRAIN_DELAY_MS: limit(
    0,
    'Milliseconds that the service goes on serving after `/readyz` has turned to 503 and before it stops',
    0,
    hour,
  ),
  SHUTDOWN_GRACE_MS: limit(
    10_000,
    'Milliseconds that requests in flight may take to finish when the service stops',
    0,
    hour,
  ),
  MAX_CONNECTIONS: limit(
    connections,
    'Open connections; past it idle ones are closed, or else the new one gets 503',
    1,
    millions,
  ),
  MAX_REQUESTS: limit(maxRequests, 'Requests that are handled at the same time; past it 503', 1, millions),
  MAX_DELAY_MS: limit(
    maxDelayMs,
    'Mean delay of the event loop in milliseconds, which every request waits for; past it 503',
    10,
    hour,
  ),
  MAX_LISTS: limit(64, 'Lists of all snippets that are sent at the same time; past it 503', 1, 10_000),
  MAX_UNSENT_MB: limit(
    unsentBytes / bytesPerMb,
    'MiB of answers that wait for clients to read; past it the clients with the most are disconnected',
    1,
    100_000,
  ),
  MAX_HEAD_BYTES: limit(headBytes, 'Bytes of a request line and its header fields; past it 431', 1024, bytesPerMb),
  MAX_BODY_BYTES: limit(
    defaultMaxBodyBytes,
    'Bytes of the body of a request; past it 413',
    leastMaxBodyBytes,
    16 * bytesPerMb,
  ),
  MAX_BODIES_MB: limit(
    defaultMaxBodiesBytes / bytesPerMb,
    'MiB of the bodies of all requests that are being received; past it those above 8 KiB get 503',
    1,
    100_000,
  ),
  HEAD_TIMEOUT_MS: limit(headMs, 'Milliseconds until the head of a request has arrived, else 408', 100, hour),
  REQUEST_TIMEOUT_MS: limit(requestMs, 'Milliseconds until a request has arrived with its body, else 408', 100, hour),
  IDLE_TIMEOUT_MS: limit(idleMs, 'Milliseconds that a connection may be unused before it is closed', 100, hour),
}

const settingNames = Object.keys(variables)

/** The table in docs/settings.md. */
export const settingsTable = Object.entries(variables).map(([name, { fallback, meaning }]) => ({
  name,
  fallback,
  meaning,
}))

const settingsDecoder = fieldsDecoder('settings', variables)

/** The settings, by the names of their variables. */
export type Settings = Decoded<typeof variables>

/** Returns a message for each name that resembles an unset setting. */
export const misspelledSettings = (
  environment: Environment,
  names: readonly string[] = Object.keys(environment),
): readonly string[] => findMisspellings(environment, names, settingNames)

/** Reads the settings. Left holds a message for each fault. A misspelled name is a fault only in `.env`, because the environment also has variables of other programs. */
export const readSettings = (
  environment: Environment,
  envFileNames: readonly string[] = [],
): E.Either<readonly string[], Settings> => {
  const misspelled = misspelledSettings(environment, envFileNames)
  return pipe(
    settingsDecoder.decode(environment),
    E.mapLeft(errors => faultsOf(errors).map(({ name, message }) => `${name} ${message}`)),
    E.filterOrElse(agree, conflicts),
    E.mapLeft(faults => [...faults, ...misspelledSettings(environment)]),
    E.filterOrElse(
      () => misspelled.length === 0,
      () => misspelled,
    ),
  )
}

const agree = (settings: Settings): boolean => conflicts(settings).length === 0

/** Returns the faults of settings that are valid alone, but not together. */
const conflicts = (settings: Settings): readonly string[] => {
  const { STORAGE, PORT, ADMIN_PORT } = settings
  const isTaken = PORT !== 0 && O.isSome(ADMIN_PORT) && ADMIN_PORT.value === PORT
  return [
    ...storages[STORAGE].faults(settings),
    ...(isTaken ? [`ADMIN_PORT is "${PORT}", and so is PORT. Set it to another one`] : []),
  ]
}
