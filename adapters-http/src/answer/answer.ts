import type { OutgoingHttpHeaders } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import { json, plainText, problemJson } from './media-types.js'
import { type Problem, problem, problemBody } from './problems.js'
import { uriOf } from './uri.js'

/** A body that is made while it is sent. Whoever writes it MUST close it, also when nothing of it was read. */
export type StreamedBody = Readonly<{
  pieces: () => AsyncIterable<string>
  close: () => Promise<unknown>
  /** Its length, where that is known before it is made. */
  bytes?: number
  /** How much memory is kept only for this body, beside the piece that is being sent. */
  kept?: number
}>

/** What a handler returns. The writer adds to the headers, so each answer has an object of its own. No body for 204 and 304. */
export type Answer = Readonly<{
  status: number
  headers: OutgoingHttpHeaders
  body?: string | StreamedBody
}>

/** The JSON of an item, and the entity tag of the state it is in where it has one. */
export type Shown = Readonly<{ json: string; etag?: string }>

export const ok = (body: string | StreamedBody): Answer => ({ status: 200, headers: { 'Content-Type': json }, body })

export const shown = ({ json: body, etag }: Shown): Answer =>
  etag === undefined ? ok(body) : { status: 200, headers: { 'Content-Type': json, ETag: etag }, body }

export const created = (location: string, { json: body, etag }: Shown): Answer => ({
  status: 201,
  headers: { 'Content-Type': json, ...(etag !== undefined && { ETag: etag }), Location: location },
  body,
})

/** What an earlier request with the same Idempotency-Key was answered, once more. */
export const replayed = (answer: Answer): Answer => {
  answer.headers['Idempotency-Replayed'] = 'true'
  return answer
}

export const noContent = (headers: OutgoingHttpHeaders = {}): Answer => ({ status: 204, headers })

const notModified = (etag: string): Answer => ({ status: 304, headers: { ETag: etag } })

/** The text is for people: curl shows no Location. A long one is not repeated. */
export const permanentRedirect = (pathAndQuery: string): Answer => {
  const location = uriOf(pathAndQuery)
  const target = location.length > maxShownLength ? 'the Location of this answer' : location
  return {
    status: 308,
    headers: { Location: location, 'Content-Type': plainText },
    body: `This path ends with a slash. Use ${target}\n`,
  }
}

const maxShownLength = 100

export const refused = (problem: Problem): Answer => ({
  status: problem.status,
  headers: { 'Content-Type': problemJson, ...problem.headers },
  body: problemBody(problem),
})

/** What a conditional read asks of the state with this tag, in the order of RFC 9110, 13.2.2. */
export type ReadCondition = (etag: string) => 'show' | 'not modified' | 'refuse'

/** Shows the item, unless the client already has this state (304) or asked for another (412). */
export const shownIf = (item: Shown, condition: ReadCondition): E.Either<Problem, Answer> =>
  item.etag === undefined ? E.right(shown(item)) : answerIf(item.etag, condition, () => shown(item))

export const answerIf = (etag: string, condition: ReadCondition, answer: () => Answer): E.Either<Problem, Answer> => {
  const outcome = condition(etag)
  if (outcome === 'refuse') return E.left(noLongerCurrent)
  return E.right(outcome === 'not modified' ? notModified(etag) : answer())
}

const noLongerCurrent = problem('precondition-failed', { detail: 'None of the ETags in If-Match is current.' })
