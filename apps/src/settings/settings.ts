import { isLoopback } from '@snippets/adapters-http/request/target.js'
import { defaultLimits } from '@snippets/adapters-http/server/limits.js'
import { type Decoded, decodeRecord } from '@snippets/domain/values/record.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { logLevels } from '../logging/logger.js'
import { hostName, httpUrl, oneOf, optional, origins, setting, usernames, wholeNumber } from './setting-parsers.js'

/** Variables by their names. */
export type Environment = Readonly<Record<string, string | undefined>>

export const storageNames = ['memory', 'mongo'] as const

export type StorageName = (typeof storageNames)[number]

const { connections, idleMs } = defaultLimits

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
  DATA_DIR: setting(
    '',
    'Directory in which the storage `memory` persists; not set: snippets are lost at a stop',
    optional(E.right),
  ),
  MEMORY_LIMIT_MB: setting(
    '',
    'MiB for snippets and Idempotency-Keys in memory; above it 507; not set: (heap limit of Node.js − 220) / 2, at least 27',
    optional(wholeNumber(1, million)),
  ),
  MONGODB_URL: setting('', 'A `mongodb://` or `mongodb+srv://` URL; required when `STORAGE` is `mongo`', E.right),
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
  ADMIN_PORT: setting(
    '',
    'Port of `/readyz` and other admin endpoints; not set: off',
    optional(wholeNumber(0, 65_535)),
  ),
  ADMIN_HOST: setting('127.0.0.1', 'Address of `ADMIN_PORT`', hostName),
  API_TOKENS_FILE: setting('', 'Token file of `npm run token`; not set: requests need no token', optional(E.right)),
  CORS_ORIGINS: setting('', 'Comma-separated origins whose web pages may call the API, or `*`; not set: none', origins),
  DRAIN_DELAY_MS: limit(0, 'Milliseconds between `/readyz` turning to 503 and the stop', 0, hourMs),
  SHUTDOWN_GRACE_MS: limit(10_000, 'Milliseconds for requests in flight to finish at a stop', 0, hourMs),
  // these defaults, and the `defaultLimits` of the server, suit a container with one core and 512 MB
  MAX_CONNECTIONS: limit(
    connections,
    'Open connections; above it a new one closes the connection that waits for its client longest, or gets 503',
    1,
    million,
  ),
  MAX_UNSENT_MB: limit(
    64,
    'MiB of long responses in progress; a list of all snippets counts as one; above it like `MAX_CONNECTIONS`',
    1,
    100_000,
  ),
  MAX_BODIES_MB: limit(32, 'MiB of all request bodies in progress; above it bodies over 8 KiB get 503', 1, 100_000),
  IDLE_TIMEOUT_MS: limit(idleMs, 'Milliseconds until an idle connection is closed', 100, hourMs),
}

export const settingNames: readonly string[] = Object.keys(settingDecoders)

/** The table in docs/settings.md. */
export const settingsTable = Object.entries(settingDecoders).map(([name, { fallback, meaning }]) => ({
  name,
  fallback,
  meaning,
}))

/** The settings, by the names of their variables. */
export type Settings = Decoded<typeof settingDecoders>

/** Reads the settings. Left holds a message for each fault. */
export const readSettings = (environment: Environment): E.Either<readonly string[], Settings> => {
  const decoded = decodeRecord(settingDecoders, environment)
  if (E.isLeft(decoded)) return E.left(decoded.left.map(({ name, reason }) => `${name} ${reason}`))
  const faults = conflicts(decoded.right)
  return faults.length > 0 ? E.left(faults) : decoded
}

/** Returns the faults of settings that are valid alone, but not together. */
const conflicts = ({ STORAGE, MONGODB_URL, PORT, ADMIN_PORT }: Settings): readonly string[] => {
  const isTaken = PORT !== 0 && O.isSome(ADMIN_PORT) && ADMIN_PORT.value === PORT
  // the message does not repeat the URL, which may hold a password
  const needsUrl = STORAGE === 'mongo' && !/^mongodb(\+srv)?:\/\/[^/?#\s]+\S*$/.test(MONGODB_URL)
  return [
    ...(needsUrl
      ? ['MONGODB_URL must be a mongodb:// or mongodb+srv:// URL that names a host, because STORAGE is mongo']
      : []),
    ...(isTaken ? [`ADMIN_PORT is "${PORT}", like PORT; it must be another port`] : []),
  ]
}

/** Returns warnings about settings that may be mistakes. */
export const settingsWarnings = (settings: Settings): readonly string[] => {
  const { HOST, API_TOKENS_FILE, CORS_ORIGINS, ADMIN_PORT, ADMIN_HOST, STORAGE, DATA_DIR, MONGODB_URL } = settings
  const isOpen = O.isNone(API_TOKENS_FILE)
  const warnings: readonly (readonly [boolean, string])[] = [
    [isOpen && !isLoopback(HOST), `every client that reaches ${HOST} can read and write: API_TOKENS_FILE is not set`],
    [
      isOpen && CORS_ORIGINS.includes('*'),
      'every web page can read and write: CORS_ORIGINS is *, and API_TOKENS_FILE is not set',
    ],
    [
      O.isSome(ADMIN_PORT) && !isLoopback(ADMIN_HOST),
      'probes and metrics ask for no token, and ADMIN_HOST is not a loopback address',
    ],
    [STORAGE === 'mongo' && O.isSome(DATA_DIR), 'DATA_DIR has no effect: STORAGE is mongo'],
    [STORAGE === 'memory' && MONGODB_URL !== '', 'MONGODB_URL has no effect: STORAGE is memory'],
  ]
  return warnings.flatMap(([applies, warning]) => (applies ? [warning] : []))
}
