import type { HonestOutput } from '../clients/honest.js'
import type { OfferInput, OfferOutput } from '../clients/offer.js'
import { get, getPage } from '../clients/requests.js'
import { pinTo } from '../processes/pin.js'
import type { SoakService } from '../processes/soak-service.js'
import { atMost, type Context, type Finding, none, type Scenario } from '../scenario.js'

/**
 * A page of the heaviest snippets, 240 KB, as shedding helps only where an answer costs much more than a refusal. A longer
 * page would be sent in pieces, and take its time in the kernel's buffers.
 */
const dear = getPage(4)
const ordinary = get('/api/snippets-viewset/?title=none')
const times = 5
const [serviceCpu, clientCpu] = [0, 1]

/**
 * The machine becomes slower and faster from one second to the next. So overload comes in slices, each between two
 * measurements of the peak, and the median of the slices counts. And goodput is what the service answers in a second of its
 * own processor time: other processes take the cores away from it, now more and now less. A slice begins when its thousand
 * connections are open, which would take a service under constant overload nothing, and a slice of 4 s some 3 %.
 */
const slices = 7
const sliceMs = { overload: 4000, peak: 2000 }

/** Five times as many requests as the service can answer, and a burst that it can. */
export const overload: Scenario = {
  name: 'overload',
  run: async ({ start, client, ms: most }) => {
    const service = await start()
    try {
      const { port, adminPort, pid } = service
      pinTo(pid, serviceCpu)
      await client('fill', { port, ms: 20_000, count: 25, code: 'heaviest' })
      const offer = (load: Pick<OfferInput, 'ms' | 'connections' | 'perSecond'>) =>
        client('offer', { port, pid, request: dear, cpu: clientCpu, ...load })
      const peak = () => offer({ ms: sliceMs.peak, connections: 32 })
      await peak()
      const measured: Slice[] = []
      for (let before = await peak(); measured.length < slices; ) {
        const ms = Math.min(sliceMs.overload, most)
        const [live, offered] = await Promise.all([
          client('honest', { port: adminPort, ms, target: '/livez', everyMs: 100 }),
          offer({ ms, connections: 1000, perSecond: times * before.served }),
        ])
        const after = await peak()
        measured.push({ peaks: [before, after], output: offered, live })
        before = after
      }
      return [...findings(measured), ...(await burst(client, service))]
    } finally {
      await service.stop()
    }
  },
}

type Slice = Readonly<{ peaks: readonly [OfferOutput, OfferOutput]; output: OfferOutput; live: HonestOutput }>

/** Of the slice with the median of the goodput. /livez: of the worst slice. */
const findings = (measured: readonly Slice[]): readonly Finding[] => {
  const byGoodput = measured.toSorted((a, b) => goodputOf(a) - goodputOf(b))
  const median = byGoodput[Math.floor(slices / 2)]
  if (median === undefined) return []
  const { output } = median
  const { offered, shed } = output
  const peak = peakOf(median, 'served')
  const failed = measured.reduce((sum, slice) => sum + slice.output.failed, 0)
  const each = byGoodput.map(slice => `${Math.round(100 * goodputOf(slice))} %`).join(', ')
  return [
    {
      goal: `offered ${times} times the peak: goodput at least 85 % of it`,
      measured: `${each} of ${Math.round(peakOf(median, 'servedPerCpuSecond'))} per second of processor time; by the clock ${Math.round(output.served)} of ${Math.round(peak)} per second; offered ${(offered / peak).toFixed(1)} times the peak, ${failed} failed; served in ${inMs(output.servedP50)}, p99 ${inMs(output.servedP99)}`,
      // with every connection busy less can be offered
      met: goodputOf(median) >= 0.85 && offered >= 0.8 * times * peak && failed === 0,
    },
    {
      goal: '99 % of the shed answers: at most 50 ms',
      measured: `${inMs(output.shedP99)} (${Math.round(shed)} shed per second, slowest ${inMs(output.shedWorst)})`,
      met: shed > 0 && output.shedP99 <= 50,
    },
    ...measured
      .toSorted((a, b) => b.live.worst - a.live.worst)
      .slice(0, 1)
      .map(({ live }) => atMost('/livez', live.worst, 250, ' ms', ` (${live.count} requests, ${live.failed} failed)`)),
  ]
}

const goodputOf = (slice: Slice): number => slice.output.servedPerCpuSecond / peakOf(slice, 'servedPerCpuSecond')

const peakOf = ({ peaks: [before, after] }: Slice, what: 'served' | 'servedPerCpuSecond'): number =>
  (before[what] + after[what]) / 2

const inMs = (time: number): string => `${Math.round(time)} ms`

const burst = async (
  client: Context['client'],
  { port, pid }: Pick<SoakService, 'port' | 'pid'>,
): Promise<readonly Finding[]> => {
  const input = {
    port,
    pid,
    request: ordinary,
    cpu: clientCpu,
    ms: 3000,
    connections: 2000,
    perSecond: 'once' as const,
  }
  const { shed, failed, servedP99 } = await client('offer', input)
  const unserved = Math.round(shed * 3) + failed
  return [none('of 2000 requests at once shed or failed', unserved, `; p99 ${Math.round(servedP99)} ms`)]
}
