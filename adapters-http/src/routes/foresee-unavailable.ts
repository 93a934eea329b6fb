import type { IncomingMessage } from 'node:http'
import type { Problem } from '../answer/problems.js'
import { unavailable, unavailableForWrite } from '../answer/refusal.js'
import { snippetsViewsetPath } from './snippets-viewset.js'

const writeMethods: ReadonlySet<string | undefined> = new Set(['PUT', 'PATCH', 'DELETE'])

/**
 * While the storage refuses updates, deletions and pages at once, a request for one gets the same answer unread: a fifth of the
 * work, so that thousands of them during an outage keep nobody waiting.
 */
export const foreseeUnavailable =
  (isStorageBusy: () => boolean) =>
  (req: IncomingMessage): Problem | undefined => {
    if (writeMethods.has(req.method)) return isStorageBusy() ? unavailableForWrite : undefined
    return isPage(req) && isStorageBusy() ? unavailable : undefined
  }

const isPage = ({ method, url = '' }: IncomingMessage): boolean =>
  method === 'GET' && url.startsWith(snippetsViewsetPath) && !isIdAt(url, snippetsViewsetPath.length)

const isIdAt = (url: string, at: number): boolean => url.length > at && url[at] !== '?'
