import { atMost, none, type Scenario } from '../scenario.js'

/** The requests that keep the event loop busy for longest, one at a time. */
export const worstRequest: Scenario = {
  name: 'worst-request',
  run: async ({ start, client, ms: most }) => {
    const service = await start()
    try {
      const { port } = service
      await client('fill', { port, ms: 10_000, count: 100, code: 'heaviest' })
      const blocked = await client('block', { port, ms: Math.min(60_000, most), repeats: 7 })
      const sorted = blocked.toSorted((a, b) => b.blockedMs - a.blockedMs)
      const [worst, ...others] = sorted
      const next = others.slice(0, 2).map(({ what, blockedMs }) => `${what}: ${blockedMs.toFixed(1)} ms`)
      const note = ` for ${worst?.what}; then ${next.join(', ')}; ${blocked.length} requests`
      return [
        atMost('the worst single request blocks the event loop', worst?.blockedMs ?? 0, 20, ' ms', note),
        none('answers with 500', blocked.filter(({ status }) => status === 500).length),
      ]
    } finally {
      await service.stop()
    }
  },
}
