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
 * measurements of the peak, and the means of all slices and of all peaks are compared. And goodput is what the service answers in a second of its
 * own processor time: other processes take the cores away from it, now more and now less. A slice begins when its thousand
 * connections are open, which would take a service under constant overload nothing, and a slice of 4 s some 3 %.
 */
const slices = 13
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
      const probe = (ms: number) => client('honest', { port: adminPort, ms, target: '/livez', everyMs: 100 })
      // probed too, as that takes processor time of its own
      const peak = async () => {
        const [, asked] = await Promise.all([probe(sliceMs.peak), offer({ ms: sliceMs.peak, connections: 32 })])
        return asked
      }
      await peak()
      const measured: Slice[] = []
      for (let before = await peak(); measured.length < slices; ) {
        const ms = Math.min(sliceMs.overload, most)
        const [live, offered] = await Promise.all([
          probe(ms),
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

/** Means of all slices. */
const findings = (measured: readonly Slice[]): readonly Finding[] => {
  const outputs = measured.map(({ output }) => output)
  const peaks = measured.flatMap(slice => slice.peaks)
  const [served, offered, shed] = [meanOf('served', outputs), meanOf('offered', outputs), meanOf('shed', outputs)]
  const peak = meanOf('served', peaks)
  const peakPerCpuSecond = meanOf('servedPerCpuSecond', peaks)
  const goodput = meanOf('servedPerCpuSecond', outputs) / peakPerCpuSecond
  const failed = outputs.reduce((sum, output) => sum + output.failed, 0)
  const each = measured.map(slice => `${Math.round(100 * goodputOf(slice))} %`).join(', ')
  const shedP99 = meanOf('shedP99', outputs)
  return [
    {
      goal: `offered ${times} times the peak: goodput at least 85 % of it`,
      measured: `${(100 * goodput).toFixed(1)} % (${each}) of ${Math.round(peakPerCpuSecond)} per second of processor time; by the clock ${Math.round(served)} of ${Math.round(peak)} per second; offered ${(offered / peak).toFixed(1)} times the peak, ${failed} failed; served in ${inMs(meanOf('servedP50', outputs))}, p99 ${inMs(worstOf('servedP99', outputs))}`,
      // with every connection busy less can be offered
      met: goodput >= 0.85 && offered >= 0.8 * times * peak && failed === 0,
    },
    {
      goal: '99 % of the shed answers: at most 50 ms',
      measured: `${inMs(shedP99)} (${Math.round(shed)} shed per second, slowest ${inMs(worstOf('shedWorst', outputs))})`,
      met: shed > 0 && shedP99 <= 50,
    },
    ...measured
      .toSorted((a, b) => b.live.worst - a.live.worst)
      .slice(0, 1)
      .map(({ live }) => atMost('/livez', live.worst, 250, ' ms', ` (${live.count} requests, ${live.failed} failed)`)),
  ]
}

const meanOf = (what: keyof OfferOutput, outputs: readonly OfferOutput[]): number =>
  outputs.reduce((sum, output) => sum + output[what], 0) / outputs.length

const worstOf = (what: keyof OfferOutput, outputs: readonly OfferOutput[]): number =>
  Math.max(...outputs.map(output => output[what]))

const goodputOf = ({ output, peaks }: Slice): number => output.servedPerCpuSecond / meanOf('servedPerCpuSecond', peaks)

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
