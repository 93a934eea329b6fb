import { openLink } from '../../measuring/link.js'
import { get } from './requests.js'
import { deadline } from './timing.js'

export type ProbeInput = Readonly<{ port: number; ms: number }>

/** A request that took longer than usual: the time of day when it was sent, in milliseconds, and how long it took. */
export type SlowProbe = Readonly<{ at: number; ms: number }>

const slowMs = 0.5

export const timeOfDay = (): number => performance.timeOrigin + performance.now()

/** Asks something cheap without a pause, so that every blockage of the event loop shows. */
export const probe = async ({ port, ms }: ProbeInput, onBegun: () => void): Promise<readonly SlowProbe[]> => {
  const link = openLink(port, 10_000)
  const request = get('/api/snippets/config/')
  // until the client itself is compiled
  for (let i = 0; i < 2000; i++) await link.ask(request)
  onBegun()
  const time = deadline(ms)
  const slow: SlowProbe[] = []
  while (!time.isOver()) {
    const at = timeOfDay()
    const outcome = await link.ask(request)
    if (outcome.ms > slowMs && slow.length < 100_000) slow.push({ at, ms: outcome.ms })
  }
  link.close()
  return slow
}
