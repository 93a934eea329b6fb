import { setTimeout as wait } from 'node:timers/promises'
import { type Link, openLink } from './link.js'
import { deadline, quantile } from './timing.js'

export type OfferInput = Readonly<{
  port: number
  ms: number
  request: string
  perSecond: number
  /** Not more are open at a time, however slow the service. */
  connections: number
}>

export type OfferOutput = Readonly<{
  offered: number
  served: number
  shed: number
  /** Requests that were not answered, by how that ended. */
  failed: Readonly<Record<string, number>>
  servedP99: number
  shedP99: number
  shedWorst: number
}>

type Tally = {
  readonly served: number[]
  readonly shed: number[]
  open: number
  readonly failed: Record<string, number>
}

/** Sends requests at a fixed rate, whether or not earlier ones were answered. */
export const offer = async ({ port, ms, request, perSecond, connections }: OfferInput): Promise<OfferOutput> => {
  const time = deadline(ms)
  const begun = performance.now()
  const idle: Link[] = []
  const tally: Tally = { served: [], shed: [], open: 0, failed: {} }
  let offered = 0
  while (!time.isOver()) {
    const due = ((performance.now() - begun) / 1000) * perSecond
    for (; offered < due && tally.open < connections; offered++) {
      const link = idle.pop() ?? openLink(port, 10_000)
      void sendOn(link, request, tally, time).then(() => idle.push(link))
    }
    await wait(1)
  }
  for (const link of idle) link.close()
  return outputOf(offered, tally)
}

const sendOn = async (link: Link, request: string, tally: Tally, time: ReturnType<typeof deadline>): Promise<void> => {
  tally.open++
  const outcome = await link.ask(request)
  tally.open--
  if (time.isOver()) return
  if (outcome.how !== 'answered') tally.failed[outcome.how] = (tally.failed[outcome.how] ?? 0) + 1
  else if (outcome.status === 503) tally.shed.push(outcome.ms)
  else tally.served.push(outcome.ms)
}

const outputOf = (offered: number, { served, shed, failed }: Tally): OfferOutput => ({
  offered,
  served: served.length,
  shed: shed.length,
  failed,
  servedP99: quantile(served, 0.99),
  shedP99: quantile(shed, 0.99),
  shedWorst: quantile(shed, 1),
})
