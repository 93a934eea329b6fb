import type { Log as HttpLog } from '@snippets/adapters-http/answer/log.js'
import type { Log as MongoLog } from '@snippets/adapters-mongo/log.js'

/** What the adapters need of a logger. */
export type Log = HttpLog & MongoLog & LineWriter

/** Takes a line of JSON as it is, with its end. Undefined where nobody reads lines. */
export type LineWriter = Readonly<{ writeLine?: (json: string) => void }>
