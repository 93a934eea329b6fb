import { watchMemory } from '../../measuring/memory.js'
import { quantile } from '../../measuring/statistics.js'
import { atMost, none, rounded, type Scenario } from '../scenario.js'

const warmUpShare = 0.25
const maxWarmUpMs = 120_000

/** Reads and writes, a fifth of them hostile, for as long as the option says. */
export const mixed: Scenario = {
  name: 'mixed',
  run: async ({ start, client, minutes, seed }) => {
    const service = await start()
    try {
      const { port, pid, log } = service
      const ms = minutes * 60_000
      await client('fill', { port, ms: 10_000, count: 1000, code: 500 })
      await client('mixed', { port, seed, ms: Math.min(ms * warmUpShare, maxWarmUpMs) })
      const watch = watchMemory(pid, Math.max(20, ms / 10_000))
      const counts = await client('mixed', { port, seed: seed + 1_000_000, ms })
      watch.end()
      const samples = watch.samples()
      const third = Math.floor(samples.length / 3)
      const first = quantile(samples.slice(0, third), 0.5)
      const last = quantile(samples.slice(-third), 0.5)
      const note = ` (from ${rounded(first)} to ${rounded(last)} MB, at most ${rounded(watch.most())} MB)`
      const load = `${minutes} minutes, ${counts.honest} honest requests and ${counts.hostile} hostile connections`
      return [
        atMost(`${load}: memory of the last third over the first`, 100 * (last / first - 1), 5, ' %', note),
        none('unexpected 5xx', counts.failed, ` (${counts.shed} shed with 503)`),
        none('honest requests without an answer', counts.unanswered.length, listed(counts.unanswered)),
        none('uncaught errors and unhandled rejections', log.count('fatal') + log.count('foreign')),
        { goal: 'is running afterwards', measured: service.isRunning() ? 'yes' : 'no', met: service.isRunning() },
      ]
    } finally {
      await service.stop()
    }
  },
}

const listed = (ends: readonly string[]): string => (ends.length === 0 ? '' : ` (${ends.slice(0, 20).join(', ')})`)
