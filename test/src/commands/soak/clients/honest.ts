import { setTimeout as wait } from 'node:timers/promises'
import { openLink } from '../../measuring/link.js'
import { quantile } from '../../measuring/statistics.js'
import { get } from './requests.js'
import { deadline } from './timing.js'

export type HonestInput = Readonly<{ port: number; ms: number; target: string; everyMs: number }>

export type HonestOutput = Readonly<{ count: number; p50: number; p99: number; worst: number; failed: number }>

/** A client that asks the same request in regular intervals and measures the answers. */
export const honest = async ({ port, ms, target, everyMs }: HonestInput): Promise<HonestOutput> => {
  const time = deadline(ms)
  const link = openLink(port, 10_000)
  const times: number[] = []
  let failed = 0
  while (!time.isOver()) {
    const outcome = await link.ask(get(target))
    times.push(outcome.ms)
    if (outcome.how !== 'answered' || outcome.status !== 200) failed++
    await wait(everyMs)
  }
  link.close()
  return {
    count: times.length,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    worst: quantile(times, 1),
    failed,
  }
}
