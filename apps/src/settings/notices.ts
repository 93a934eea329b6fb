import { isIP } from 'node:net'
import * as O from 'fp-ts/lib/Option.js'
import { isRiskyCeiling } from '../memory-ceiling.js'
import { type Environment, isSet } from './environment.js'
import { possibleTypos } from './near-misses.js'
import { type Settings, settingNames } from './settings.js'

/** Settings that an operator may have set by mistake. */
export const unusual = (settings: Settings, environment: Environment): readonly string[] => {
  const { host, tokensFile, corsOrigins, admin, storage, memoryLimitMb, logLevel } = settings
  const notices: readonly (readonly [boolean, string])[] = [
    [
      !isLoopback(host) && O.isNone(tokensFile),
      `whoever reaches ${host} can read and write: API_TOKENS_FILE is not set`,
    ],
    [
      corsOrigins.includes('*') && O.isNone(tokensFile),
      'every web page can read and write: CORS_ORIGINS is *, and API_TOKENS_FILE is not set',
    ],
    [
      O.isSome(admin) && !isLoopback(admin.value.host),
      'the admin pages ask for no token, and ADMIN_HOST is not a loopback address',
    ],
    [O.isNone(admin) && isSet(environment, 'ADMIN_HOST'), 'ADMIN_HOST has no effect: ADMIN_PORT is not set'],
    [
      storage.kind === 'memory' && isRiskyCeiling(memoryLimitMb),
      'MEMORY_LIMIT_MB leaves less than a quarter of the heap for everything else: raise --max-old-space-size',
    ],
    [
      storage.kind === 'mongo' && isSet(environment, 'MEMORY_LIMIT_MB'),
      'MEMORY_LIMIT_MB has no effect: STORAGE is mongo',
    ],
    [storage.kind === 'memory' && isSet(environment, 'MONGODB_URL'), 'MONGODB_URL has no effect: STORAGE is memory'],
    [logLevel === 'silent' || logLevel === 'fatal', `almost nothing is logged: LOG_LEVEL is ${logLevel}`],
  ]
  return [
    ...notices.flatMap(([applies, notice]) => (applies ? [notice] : [])),
    ...possibleTypos(environment, settingNames),
  ]
}

/** Optional features that are off. */
export const featuresOff = ({ tokensFile, corsOrigins, admin }: Settings): readonly string[] => [
  ...(O.isNone(tokensFile) ? ['tokens (API_TOKENS_FILE)'] : []),
  ...(corsOrigins.length === 0 ? ['CORS (CORS_ORIGINS)'] : []),
  ...(O.isNone(admin) ? ['admin pages (ADMIN_PORT)'] : []),
]

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
