import { isLoopback } from '@snippets/adapters-http/middleware/host-check.js'
import { defaultLimits } from '@snippets/adapters-http/server/limits.js'
import { type Decoded, decodeRecord } from '@snippets/domain/values/decode-record.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as N from 'fp-ts/lib/number.js'
import * as O from 'fp-ts/lib/Option.js'
import { logLevels } from '../logging/logger.js'
import {
  hostName,
  httpUrl,
  oneOf,
  optional,
  origins,
  path,
  setting,
  usernames,
  wholeNumber,
} from './setting-parsers.js'

/** Variables by their names. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The compiler ensures that `storages` has the same names. */
export const storageNames = ['memory', 'mongo'] as const

export type StorageName = (typeof storageNames)[number]

const hourMs = 3_600_000

/** Every setting, with its default. docs/settings.md says what each means. */
export const settingDecoders = {
  HOST: setting('127.0.0.1', hostName),
  PORT: setting('8000', wholeNumber(0, 65_535)),
  STORAGE: setting('memory', oneOf(storageNames)),
  DATA_DIR: setting('', optional(path)),
  MEMORY_LIMIT_MB: setting('', optional(wholeNumber(1, 1_000_000))),
  MONGODB_URL: setting('', optional(E.right)),
  USERS: setting('', usernames),
  PUBLIC_URL: setting('', optional(httpUrl)),
  LOG_LEVEL: setting('info', oneOf(logLevels)),
  ACCESS_LOG: setting('all', oneOf(['all', 'errors', 'off'] as const)),
  ADMIN_PORT: setting('', optional(wholeNumber(0, 65_535))),
  ADMIN_HOST: setting('127.0.0.1', hostName),
  API_TOKENS_FILE: setting('', optional(path)),
  CORS_ORIGINS: setting('', origins),
  DRAIN_DELAY_MS: setting('0', wholeNumber(0, hourMs)),
  SHUTDOWN_GRACE_MS: setting('10000', wholeNumber(0, hourMs)),
  // these defaults, and the `defaultLimits` of the server, suit a container with one core and 512 MB
  MAX_CONNECTIONS: setting(String(defaultLimits.connections), wholeNumber(1, 1_000_000)),
  MAX_UNSENT_MB: setting('64', wholeNumber(1, 100_000)),
  MAX_BODIES_MB: setting('32', wholeNumber(2, 100_000)),
  IDLE_TIMEOUT_MS: setting(String(defaultLimits.idleMs), wholeNumber(100, hourMs)),
}

export const settingNames: readonly string[] = Object.keys(settingDecoders)

/** The settings, by the names of their variables. */
export type Settings = Decoded<typeof settingDecoders>

/** Reads the settings. Left holds a message for each fault. */
export const readSettings = (environment: Environment): E.Either<readonly string[], Settings> =>
  pipe(
    decodeRecord(settingDecoders, environment),
    E.mapLeft(faults => faults.map(({ name, reason }) => `${name} ${reason}`)),
    E.filterOrElse(
      ({ PORT, ADMIN_PORT }) => PORT === 0 || !O.elem(N.Eq)(PORT, ADMIN_PORT),
      () => ['ADMIN_PORT must differ from PORT'],
    ),
    E.filterOrElse(
      ({ STORAGE, MONGODB_URL }) => STORAGE !== 'mongo' || O.isSome(MONGODB_URL),
      () => ['MONGODB_URL is not set; STORAGE=mongo requires it'],
    ),
  )

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
    [STORAGE === 'memory' && O.isSome(MONGODB_URL), 'MONGODB_URL has no effect: STORAGE is memory'],
  ]
  return warnings.flatMap(([applies, warning]) => (applies ? [warning] : []))
}
