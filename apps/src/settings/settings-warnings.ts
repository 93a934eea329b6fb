import { isLoopback } from '@snippets/adapters-http/request/target.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Settings } from './settings.js'

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
