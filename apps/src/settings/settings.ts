import { defaultLimits } from '@snippets/adapters-http/server/limits.js'
import * as Apply from 'fp-ts/lib/Apply.js'
import * as E from 'fp-ts/lib/Either.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RE from 'fp-ts/lib/ReaderEither.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { logLevels } from '../logging/logger.js'
import { loadTokenFile } from '../tokens/token-file.js'
import {
  bytesPerMiB,
  type Environment,
  hostName,
  httpUrl,
  oneOf,
  optional,
  origins,
  path,
  type SettingReader,
  setting,
  type ValuesOf,
  wholeNumber,
} from './setting-parsers.js'
import { ignoredSettings, storageSettingReaders } from './storage-settings.js'

const hourMs = 3_600_000

const port = setting('PORT', '8000', wholeNumber(0, 65_535))

/** Rejects the port of the API, unless the system chooses both ports. */
const differingFromPort =
  (adminPort: O.Option<number>): SettingReader<O.Option<number>> =>
  environment =>
    O.isSome(adminPort) && adminPort.value !== 0 && E.toUnion(port(environment)) === adminPort.value
      ? E.left(['ADMIN_PORT must differ from PORT'])
      : E.right(adminPort)

/** A reader of every setting, with its default. docs/settings.md says what each means. */
const settingReaders = {
  HOST: setting('HOST', '127.0.0.1', hostName),
  PORT: port,
  ...storageSettingReaders,
  PUBLIC_URL: setting('PUBLIC_URL', '', optional(httpUrl)),
  LOG_LEVEL: setting('LOG_LEVEL', 'info', oneOf(logLevels)),
  ACCESS_LOG: setting('ACCESS_LOG', 'all', oneOf(['all', 'errors', 'off'] as const)),
  ADMIN_PORT: pipe(setting('ADMIN_PORT', '', optional(wholeNumber(0, 65_535))), RE.chain(differingFromPort)),
  ADMIN_HOST: setting('ADMIN_HOST', '127.0.0.1', hostName),
  // the file is read here, so that a fault in it is a fault of the setting
  API_TOKENS_FILE: setting('API_TOKENS_FILE', '', optional(flow(path, E.chain(loadTokenFile)))),
  CORS_ORIGINS: setting('CORS_ORIGINS', '', origins),
  DRAIN_DELAY_MS: setting('DRAIN_DELAY_MS', '0', wholeNumber(0, hourMs)),
  SHUTDOWN_GRACE_MS: setting('SHUTDOWN_GRACE_MS', '10000', wholeNumber(0, hourMs)),
  // these defaults, and the `defaultLimits` of the server, suit a container with one core and 512 MB
  MAX_CONNECTIONS: setting('MAX_CONNECTIONS', String(defaultLimits.connections), wholeNumber(1, 1_000_000)),
  MAX_UNSENT_MB: setting('MAX_UNSENT_MB', String(defaultLimits.unsentBytes / bytesPerMiB), wholeNumber(1, 100_000)),
  MAX_BODIES_MB: setting('MAX_BODIES_MB', String(defaultLimits.bodyBytes / bytesPerMiB), wholeNumber(2, 100_000)),
  IDLE_TIMEOUT_MS: setting('IDLE_TIMEOUT_MS', String(defaultLimits.idleMs), wholeNumber(100, hourMs)),
}

export const settingNames: readonly string[] = Object.keys(settingReaders)

/** Reads the settings and the token file. Left holds a message for each fault. */
export const readSettings = Apply.sequenceS(RE.getApplicativeReaderValidation(RA.getSemigroup<string>()))(
  settingReaders,
)

export type Settings = ValuesOf<typeof settingReaders>

/** Returns warnings about settings that may be mistakes. `localPorts` tells which ports only this machine can reach. */
export const settingsWarnings = (
  { HOST, API_TOKENS_FILE, CORS_ORIGINS, STORAGE }: Settings,
  environment: Environment,
  localPorts: Readonly<{ api: boolean; admin: boolean }>,
): readonly string[] => {
  const isOpen = O.isNone(API_TOKENS_FILE)
  const warnings: readonly (readonly [boolean, string])[] = [
    [isOpen && !localPorts.api, `every client that reaches ${HOST} can read and write: API_TOKENS_FILE is not set`],
    [
      isOpen && CORS_ORIGINS.includes('*'),
      'every web page can read and write: CORS_ORIGINS is *, and API_TOKENS_FILE is not set',
    ],
    [!localPorts.admin, 'probes and metrics ask for no token, and ADMIN_HOST is not a loopback address'],
    ...ignoredSettings(STORAGE, environment).map(
      name => [true, `${name} has no effect: STORAGE is ${STORAGE}`] as const,
    ),
  ]
  return warnings.flatMap(([applies, warning]) => (applies ? [warning] : []))
}
