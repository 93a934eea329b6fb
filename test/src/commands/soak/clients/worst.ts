import { setTimeout as wait } from 'node:timers/promises'
import { openLink } from '../../measuring/link.js'
import { timeOfDay } from './probe.js'
import { deadline } from './timing.js'
import { worstRequests } from './worst-requests.js'

export type WorstInput = Readonly<{ port: number; ms: number; repeats: number }>

/** One of the worst requests, and between which times of day it was handled. */
export type Sent = Readonly<{ what: string; status: number; from: number; to: number }>

/** Sends each of the worst requests some times, alone. */
export const worst = async ({ port, ms, repeats }: WorstInput): Promise<readonly Sent[]> => {
  const time = deadline(ms)
  const sent: Sent[] = []
  for (const { what, bytes } of worstRequests())
    for (let i = 0; i < repeats && !time.isOver(); i++) {
      const link = openLink(port, 5000)
      const from = timeOfDay()
      const outcome = await link.ask(bytes)
      sent.push({ what, status: outcome.how === 'answered' ? outcome.status : 0, from, to: timeOfDay() })
      link.close()
      await wait(10)
    }
  return sent
}
