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
  failed: number
  servedP99: number
  shedP99: number
  shedWorst: number
}>

/** Sends requests at a fixed rate, whether or not earlier ones were answered. */
export const offer = async ({ port, ms, request, perSecond, connections }: OfferInput): Promise<OfferOutput> => {
  const time = deadline(ms)
  const begun = performance.now()
  const idle: Link[] = []
  const served: number[] = []
  const shed: number[] = []
  let open = 0
  let offered = 0
  let failed = 0
  const send = async (): Promise<void> => {
    const link = idle.pop() ?? openLink(port, 10_000)
    open++
    const outcome = await link.ask(request)
    open--
    idle.push(link)
    if (time.isOver()) return
    if (outcome.how !== 'answered') failed++
    else if (outcome.status === 503) shed.push(outcome.ms)
    else served.push(outcome.ms)
  }
  while (!time.isOver()) {
    const due = ((performance.now() - begun) / 1000) * perSecond
    for (; offered < due && open < connections; offered++) void send()
    await wait(1)
  }
  for (const link of idle) link.close()
  return {
    offered,
    served: served.length,
    shed: shed.length,
    failed,
    servedP99: quantile(served, 0.99),
    shedP99: quantile(shed, 0.99),
    shedWorst: quantile(shed, 1),
  }
}
