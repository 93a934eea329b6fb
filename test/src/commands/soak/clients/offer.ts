import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { quantile } from '../../measuring/statistics.js'
import { pinTo } from '../processes/pin.js'
import { deadline } from './timing.js'

export type OfferInput = Readonly<{
  port: number
  ms: number
  /** A HEAD request, so that an answer is a single packet and this process is not what is measured. */
  request: string
  /** Each has at most one request under way. */
  connections: number
  /** Undefined: each asks again as soon as it has its answer. `'once'`: each asks once, all at the same time. */
  perSecond?: number | 'once'
  cpu: number
}>

export type OfferOutput = Readonly<{
  /** Per second. */
  offered: number
  served: number
  shed: number
  /** Not answered, or with another status. */
  failed: number
  servedP50: number
  servedP99: number
  shedP99: number
  shedWorst: number
  /** The share of a core that this process used: near 1, it is what was measured. */
  clientCpu: number
}>

type Asker = { readonly socket: Socket; since: number; isOpen: boolean }

/** Sends requests at a fixed rate, whether or not earlier ones were answered, for as many as it has connections. */
export const offer = async (input: OfferInput): Promise<OfferOutput> => {
  pinTo(process.pid, input.cpu)
  const askers = await openAll(input)
  const tally = { offered: 0, failed: 0, served: [] as number[], shed: [] as number[] }
  const bytes = Buffer.from(input.request)
  const idle = [...askers]
  const time = deadline(input.ms)
  const cpuBefore = process.cpuUsage()
  const ask = (asker: Asker): void => {
    tally.offered++
    asker.since = performance.now()
    asker.socket.write(bytes)
  }
  for (const asker of askers) {
    asker.socket.on('data', (chunk: Buffer) => {
      const status = chunk.toString('latin1', 9, 12)
      const times = status === '200' ? tally.served : status === '503' ? tally.shed : undefined
      if (times === undefined) tally.failed++
      else if (!time.isOver()) times.push(performance.now() - asker.since)
      if (input.perSecond === undefined && !time.isOver()) ask(asker)
      else idle.push(asker)
    })
    asker.socket.on('close', () => {
      asker.isOpen = false
      if (!time.isOver()) tally.failed++
    })
  }
  await pace(input, time, () => {
    // the one that has rested longest, as the service closes connections on which nothing comes
    const asker = idle.shift()
    if (asker?.isOpen) ask(asker)
    return asker !== undefined
  })
  for (const { socket } of askers) socket.resetAndDestroy()
  const { user, system } = process.cpuUsage(cpuBefore)
  return { ...outputOf(tally, input.ms / 1000), clientCpu: (user + system) / 1000 / input.ms }
}

const openAll = async ({ port, connections }: OfferInput): Promise<readonly Asker[]> => {
  const askers: Asker[] = []
  for (let i = 0; i < connections; i++) {
    const asker = { socket: connect({ port, host: '127.0.0.1', noDelay: true }), since: 0, isOpen: true }
    asker.socket.on('error', () => {})
    askers.push(asker)
    if (i % 50 === 0) await wait(5)
  }
  await wait(200)
  return askers
}

const pace = async (
  { perSecond, ms }: OfferInput,
  time: ReturnType<typeof deadline>,
  ask: () => boolean,
): Promise<void> => {
  const begun = performance.now()
  let asked = 0
  while (!time.isOver()) {
    const due = typeof perSecond === 'number' ? ((performance.now() - begun) / 1000) * perSecond : Infinity
    while (asked < due && ask()) asked++
    await wait(typeof perSecond === 'number' ? 1 : ms)
  }
}

type Tally = Readonly<{ offered: number; failed: number; served: readonly number[]; shed: readonly number[] }>

const outputOf = ({ offered, failed, served, shed }: Tally, seconds: number) => ({
  offered: offered / seconds,
  served: served.length / seconds,
  shed: shed.length / seconds,
  failed,
  servedP50: quantile(served, 0.5),
  servedP99: quantile(served, 0.99),
  shedP99: quantile(shed, 0.99),
  shedWorst: quantile(shed, 1),
})
