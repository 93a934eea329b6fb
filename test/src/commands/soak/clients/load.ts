import { openLink } from '../../measuring/link.js'
import { quantile } from '../../measuring/statistics.js'
import { getAll, getPage, idIn, post, remove } from './requests.js'
import { deadline, together } from './timing.js'

export type LoadInput = Readonly<{
  port: number
  ms: number
  connections: number
  /** So many of the clients connect anew for each request. */
  fresh: number
  /** Instead of the usual mix. */
  request?: string
}>

export type LoadOutput = Readonly<{
  perSecond: number
  p99: number
  answered: number
  /** Requests that were not answered in full, by how that ended. */
  reset: number
  /** Of the resets, those of connections on which nothing had been answered yet. */
  resetAtOnce: number
  cut: number
  late: number
  refused: number
  /** Answers other than 2xx and 503. */
  unexpected: number
}>

/** Clients that ask one request after the other until the time is over or nothing listens. */
export const load = async (input: LoadInput, onBegun: () => void): Promise<LoadOutput> => {
  const { port, ms, connections, fresh } = input
  const time = deadline(ms)
  const begun = performance.now()
  const times: number[] = []
  const counts = { answered: 0, reset: 0, resetAtOnce: 0, cut: 0, late: 0, refused: 0, unexpected: 0 }
  await together(connections, async index => {
    const link = openLink(port)
    const next = requestsOf(input)
    for (let serial = index; !time.isOver(); serial++) {
      const isNew = !link.isOpen()
      const outcome = await link.ask(next(serial))
      counts[outcome.how]++
      if (outcome.how === 'reset' && isNew) counts.resetAtOnce++
      if (outcome.how === 'refused') break
      if (outcome.how !== 'answered') continue
      if (counts.answered === connections) onBegun()
      if (times.length < 200_000) times.push(outcome.ms)
      if (outcome.status >= 300 && outcome.status !== 503) counts.unexpected++
      next.saw(outcome.text)
      if (index < fresh) link.close()
    }
    link.close()
  })
  const seconds = (performance.now() - begun) / 1000
  return { ...counts, perSecond: counts.answered / seconds, p99: quantile(times, 0.99) }
}

/** Creates and deletes as often, so that the collection does not grow. */
const requestsOf = ({ request }: LoadInput) => {
  let created: string | undefined
  const next = (serial: number): string => {
    if (request !== undefined) return request
    if (created !== undefined) {
      const deletion = remove(created)
      created = undefined
      return deletion
    }
    if (serial % 500 === 0) return getAll
    return serial % 3 === 0 ? post('print(1)', 'soak') : getPage(10)
  }
  return Object.assign(next, {
    saw: (text: string): void => {
      if (text.startsWith('{"id":')) created = idIn(text)
    },
  })
}
