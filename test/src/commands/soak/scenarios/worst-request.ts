import { quantile } from '../../measuring/statistics.js'
import type { SlowProbe } from '../clients/probe.js'
import { until } from '../clients/timing.js'
import type { Sent } from '../clients/worst.js'
import { atMost, none, type Scenario } from '../scenario.js'

/** The median leaves out what else the machine did. */
const repeats = 7

/** The requests that block the event loop for longest, one at a time. */
export const worstRequest: Scenario = {
  name: 'worst-request',
  run: async ({ start, client, ms: most }) => {
    const service = await start()
    try {
      const { port } = service
      await client('fill', { port, ms: 10_000, count: 100, code: 'heaviest' })
      const ms = Math.min(20_000, most)
      let isProbing = false
      const probing = client('probe', { port, ms }, () => {
        isProbing = true
      })
      await until(() => isProbing, 10_000)
      const sent = await client('worst', { port, ms: ms - 500, repeats })
      const [worst, ...others] = blockages(sent, await probing)
      const next = others.slice(0, 2).map(({ what, ms }) => `${what}: ${ms.toFixed(1)} ms`)
      const note = ` for ${worst?.what}; then ${next.join(', ')}; ${others.length + 1} requests`
      return [
        atMost('the worst single request blocks the event loop', worst?.ms ?? Number.NaN, 20, ' ms', note),
        none('answers with 500', sent.filter(({ status }) => status === 500).length),
      ]
    } finally {
      await service.stop()
    }
  },
}

/** How long each request kept the slowest probe waiting, in the median of its repetitions; the worst first. */
const blockages = (sent: readonly Sent[], probes: readonly SlowProbe[]) => {
  const times = new Map<string, number[]>()
  for (const { what, from, to } of sent) {
    const meanwhile = probes.filter(({ at, ms }) => at < to && at + ms > from)
    times.set(what, [...(times.get(what) ?? []), Math.max(0, ...meanwhile.map(({ ms }) => ms))])
  }
  return [...times].map(([what, all]) => ({ what, ms: quantile(all, 0.5) })).toSorted((a, b) => b.ms - a.ms)
}
