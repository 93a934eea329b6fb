import type { ServerLimits } from '@snippets/adapters-http/server/limits.js'
import { faultsOf } from '@snippets/domain/codec.js'
import type { User } from '@snippets/domain/user.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { type AccessLogMode, accessLogModes } from '../logging/access-log.js'
import type { Environment } from './environment.js'
import { limitVariables, serverLimitsOf } from './limit-settings.js'
import { nearMisses } from './near-misses.js'
import { setting } from './setting.js'
import {
  directory,
  hostName,
  httpUrl,
  mongoUrl,
  oneOf,
  optional,
  origins,
  usernames,
  wholeNumber,
} from './setting-texts.js'

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export type LogLevel = (typeof logLevels)[number]

export type Settings = Readonly<{
  host: string
  port: number
  storage: Readonly<{ kind: 'memory'; directory?: string } | { kind: 'mongo'; url: string }>
  /** None: a share of the heap limit. */
  memoryLimitMb: O.Option<number>
  users: readonly User[]
  publicUrl: O.Option<string>
  logLevel: LogLevel
  accessLog: AccessLogMode
  admin: O.Option<Readonly<{ host: string; port: number }>>
  tokensFile: O.Option<string>
  corsOrigins: readonly string[]
  workers: number
  drainDelayMs: number
  shutdownGraceMs: number
  limits: ServerLimits
  maxLists: number
  maxBodyBytes: number
}>

const variables = {
  HOST: setting('127.0.0.1', 'Address to listen on; `0.0.0.0` means every IPv4 address of the machine', hostName),
  PORT: setting('8000', 'Port to listen on; `0` means any free port', wholeNumber(0, 65_535)),
  STORAGE: setting(
    'memory',
    'Where snippets are kept: `memory` (lost on stop unless `DATA_DIR` is set) or `mongo`',
    oneOf(['memory', 'mongo']),
  ),
  MONGODB_URL: setting('', 'A `mongodb://` or `mongodb+srv://` URL; required when `STORAGE` is `mongo`', mongoUrl),
  DATA_DIR: setting('', 'Directory that keeps the snippets of `memory` across restarts', directory),
  MEMORY_LIMIT_MB: setting(
    '',
    'MiB that snippets and Idempotency-Keys in memory may take, else creating answers 507; not set: half of the heap limit of Node.js',
    optional(wholeNumber(1, 1_000_000)),
  ),
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
    'Which requests are logged, at level `info`: `all`, `sampled` (all that fail, are cut or take a second, and 1 of 100 others) or `off`',
    oneOf(accessLogModes),
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
  WORKERS: setting('1', 'How many processes answer requests; more than 1 only on MongoDB', wholeNumber(1, 64)),
  DRAIN_DELAY_MS: setting(
    '0',
    'Milliseconds that the service goes on serving after `/readyz` has turned to 503 and before it stops',
    wholeNumber(0, 600_000),
  ),
  SHUTDOWN_GRACE_MS: setting(
    '10000',
    'Milliseconds that requests in flight may take to finish when the service stops',
    wholeNumber(0, 600_000),
  ),
  ...limitVariables,
}

export const settingNames = Object.keys(variables)

/** docs/settings.md shows this table. */
export const settingsTable = Object.entries(variables).map(([name, { fallback, meaning }]) => ({
  name,
  fallback,
  meaning,
}))

const { STORAGE, MONGODB_URL, DATA_DIR, ...others } = variables
const kindOfStorage = t.type({ STORAGE, DATA_DIR })
const mongo = t.type({ MONGODB_URL })
const rest = t.type(others)
const related = t.type({ STORAGE, DATA_DIR, WORKERS: variables.WORKERS })
const ports = t.type({ PORT: variables.PORT, ADMIN_PORT: variables.ADMIN_PORT })

/** Reports every fault at once, one sentence each. */
export const readSettings = (environment: Environment): E.Either<readonly string[], Settings> => {
  const storage = readStorage(environment)
  const decoded = rest.decode(environment)
  const others = [...conflicts(environment), ...nearMisses(environment, settingNames)]
  if (E.isLeft(storage) || E.isLeft(decoded) || others.length > 0)
    return E.left([...sentencesOf(storage), ...sentencesOf(decoded), ...others])
  return E.right({ storage: storage.right, ...settingsOf(decoded.right) })
}

/** Of settings that are good by themselves, but not together. */
const conflicts = (environment: Environment): readonly string[] => [
  ...storageConflicts(environment),
  ...portConflicts(environment),
]

const portConflicts = (environment: Environment): readonly string[] => {
  const decoded = ports.decode(environment)
  if (E.isLeft(decoded)) return []
  const { PORT: port, ADMIN_PORT: adminPort } = decoded.right
  return port !== 0 && O.isSome(adminPort) && adminPort.value === port ? [samePort(port)] : []
}

const samePort = (port: number): string => `ADMIN_PORT is "${port}", and so is PORT. Set it to another one`

const storageConflicts = (environment: Environment): readonly string[] => {
  const decoded = related.decode(environment)
  if (E.isLeft(decoded)) return []
  const { STORAGE: kind, DATA_DIR: directory, WORKERS: workers } = decoded.right
  if (kind === 'mongo') return directory === '' ? [] : [notBoth]
  return workers > 1 ? [notOnMemory(workers)] : []
}

const notBoth =
  'DATA_DIR is set, but STORAGE is mongo, and one of them has to keep the snippets. Set only the one you want'

const notOnMemory = (workers: number): string =>
  `WORKERS is "${workers}"; on memory it must be 1, as each process would have its own snippets. Set STORAGE to mongo for more`

const settingsOf = (values: t.TypeOf<typeof rest>): Omit<Settings, 'storage'> => ({
  host: values.HOST,
  port: values.PORT,
  memoryLimitMb: values.MEMORY_LIMIT_MB,
  users: values.USERS,
  publicUrl: values.PUBLIC_URL,
  logLevel: values.LOG_LEVEL,
  accessLog: values.ACCESS_LOG,
  admin: pipe(
    values.ADMIN_PORT,
    O.map(port => ({ host: values.ADMIN_HOST, port })),
  ),
  tokensFile: values.API_TOKENS_FILE,
  corsOrigins: values.CORS_ORIGINS,
  workers: values.WORKERS,
  drainDelayMs: values.DRAIN_DELAY_MS,
  shutdownGraceMs: values.SHUTDOWN_GRACE_MS,
  limits: serverLimitsOf(values),
  maxLists: values.MAX_LISTS,
  maxBodyBytes: values.MAX_BODY_BYTES,
})

const readStorage = (environment: Environment): t.Validation<Settings['storage']> =>
  pipe(
    kindOfStorage.decode(environment),
    E.chain(({ STORAGE: kind, DATA_DIR: path }) =>
      kind === 'memory' ? E.right({ kind, ...(path !== '' && { directory: path }) }) : readMongo(environment),
    ),
  )

/** The URL matters only to a service on MongoDB. */
const readMongo = (environment: Environment): t.Validation<Settings['storage']> =>
  pipe(
    mongo.decode(environment),
    E.map(({ MONGODB_URL: url }) => ({ kind: 'mongo', url })),
  )

const sentencesOf = (validation: t.Validation<unknown>): readonly string[] =>
  E.isLeft(validation) ? faultsOf(validation.left).map(({ name, message }) => `${name} ${message}`) : []
