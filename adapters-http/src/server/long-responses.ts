import type { Readable } from 'node:stream'
import { Budget } from './budget.js'

/** A response that is sent in pieces. It has no body while it waits for the storage. */
type LongResponse = { body?: Readable }

export type LongResponses = Budget<LongResponse>

/** Limits the long responses in progress. A newcomer closes the response that waits for its client longest. */
export const longResponseBudget = (limit: number): LongResponses =>
  new Budget(limit, {
    // a pipe pauses the body until the client has read the earlier pieces
    isWaiting: [({ body }) => body?.isPaused() === true],
    close: ({ body }) => body?.destroy(),
  })

/** Records each time the client has read the sent pieces of the body. */
export const markActiveOnResume = (responses: LongResponses, response: LongResponse, body: Readable): void => {
  response.body = body.on('resume', () => responses.markActive(response))
}
