import type { HonestOutput } from '../clients/honest.js'
import type { OfferOutput } from '../clients/offer.js'
import { getPage } from '../clients/requests.js'
import { atMost, type Finding, type Scenario } from '../scenario.js'

/** Dear enough that two processes can ask five times as often as the service can answer. */
const request = getPage(100)
const snippets = { count: 100, code: 5000 }
const loaders = 2
const times = 5

/** Five times as many requests as the service can answer. */
export const overload: Scenario = {
  name: 'overload',
  run: async ({ start, client, ms: most }) => {
    const service = await start()
    try {
      const { port, adminPort } = service
      await client('fill', { port, ms: 10_000, ...snippets })
      const closedLoop = { port, connections: 32, fresh: 0, request }
      await client('load', { ...closedLoop, ms: 3000 })
      const measure = async () => (await client('load', { ...closedLoop, ms: 5000 })).perSecond
      const before = await measure()
      const ms = Math.min(20_000, most)
      const offered = { port, ms, request, perSecond: (times * before) / loaders, connections: 2000 / loaders }
      const [live, ...outputs] = await Promise.all([
        client('honest', { port: adminPort, ms, target: '/livez', everyMs: 100 }),
        ...Array.from({ length: loaders }, () => client('offer', offered)),
      ])
      // the machine may have become slower or faster meanwhile
      const peak = (before + (await measure())) / 2
      return findings(peak, ms / 1000, outputs, live)
    } finally {
      await service.stop()
    }
  },
}

const findings = (
  peak: number,
  seconds: number,
  outputs: readonly OfferOutput[],
  live: HonestOutput,
): readonly Finding[] => {
  const sum = (count: (output: OfferOutput) => number) => outputs.reduce((total, output) => total + count(output), 0)
  const most = (figure: (output: OfferOutput) => number) => Math.max(...outputs.map(figure))
  const offered = sum(({ offered }) => offered) / seconds / peak
  const goodput = sum(({ served }) => served) / seconds
  const shed = sum(({ shed }) => shed)
  return [
    {
      goal: `offered ${times} times the peak: goodput at least 85 % of it`,
      measured: `${Math.round((100 * goodput) / peak)} % of ${Math.round(peak)} per second; offered ${offered.toFixed(1)} times the peak, ${failures(outputs)}, p99 ${Math.round(most(({ servedP99 }) => servedP99))} ms`,
      // a service that neither answers nor sheds keeps every connection busy, and then less can be offered
      met: goodput >= 0.85 * peak && offered >= 0.9 * times,
    },
    shedFinding(
      shed,
      most(({ shedP99 }) => shedP99),
      most(({ shedWorst }) => shedWorst),
    ),
    atMost('/livez', live.worst, 250, ' ms', ` (${live.count} requests, ${live.failed} failed)`),
  ]
}

const shedFinding = (shed: number, p99: number, worst: number): Finding => {
  const finding = atMost('99 % of the shed answers', p99, 50, ' ms', ` (${shed} shed, slowest ${Math.round(worst)} ms)`)
  return shed === 0 ? { ...finding, measured: 'nothing was shed', met: false } : finding
}

/** Such as "12 late, 3 reset": not answered within ten seconds, or cut off. */
const failures = (outputs: readonly OfferOutput[]): string => {
  const counts = new Map<string, number>()
  for (const { failed } of outputs)
    for (const [how, count] of Object.entries(failed)) counts.set(how, (counts.get(how) ?? 0) + count)
  return counts.size === 0 ? '0 failed' : [...counts].map(([how, count]) => `${count} ${how}`).join(', ')
}
