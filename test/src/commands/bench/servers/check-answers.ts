import { openLink } from '../../measuring/link.js'
import { requestBytes } from '../load/request-bytes.js'
import type { Row } from '../rows.js'

export type Answered = Readonly<{ server: string; status: number; body: string }>

/** Every server has created its snippets at a time of its own. */
const withoutTimes = (body: string): string =>
  body.replace(/"created_at":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/g, '"created_at":"a time"')

/** The others link to pages by their number only. */
const withoutCursors = (body: string): string => body.replace(/&(?:after|before)=[A-Za-z0-9_-]+(?=")/g, '')

/** The answer to the first request of a row. */
export const answerTo = async (server: string, port: number, row: Row, snippets: number): Promise<Answered> => {
  const link = openLink(port)
  const parts = row.request({ serial: 1, round: 0, snippets })
  const ask = async (etag?: string) => {
    const outcome = await link.ask(requestBytes(parts, etag))
    if (outcome.how !== 'answered') throw new Error(`${server} did not answer: ${outcome.how}`)
    return outcome
  }
  const etag = row.tagged && (await ask()).etag
  const { status, text } = await ask(etag)
  link.close()
  // chunk sizes may differ between servers
  const body = text.replace(/^[0-9a-f]+\r\n|\r\n[0-9a-f]+\r\n(\r\n)?/g, '')
  return { server, status, body: withoutCursors(withoutTimes(body)) }
}

/** What is wrong with these answers, in a sentence. Undefined where all are the same and have the row's status. */
export const differenceIn = (row: Row, answers: readonly Answered[]): string | undefined => {
  const [first] = answers
  for (const { server, status, body } of answers) {
    if (status !== row.status)
      return `${server} answered ${status} to ${row.name}, not ${row.status}: ${body.slice(0, 200)}`
    if (first !== undefined && body !== first.body)
      return `${server} and ${first.server} answered differently to ${row.name}:\n${body.slice(0, 500)}\n${first.body.slice(0, 500)}`
  }
  return undefined
}
