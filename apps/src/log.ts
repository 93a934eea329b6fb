import type { Log as HttpLog } from '@snippets/adapters-http/answer/log.js'
import type { Log as MongoLog } from '@snippets/adapters-mongo/log.js'

/** What the adapters need of a logger. */
export type Log = HttpLog & MongoLog
