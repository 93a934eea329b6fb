import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { cpuMicroseconds } from '../../measuring/process-cpu.js'
import { quantile } from '../../measuring/statistics.js'
import { stayAwake } from '../../measuring/stay-awake.js'
import { pinTo } from '../processes/pin.js'
import { deadline } from './timing.js'

export type OfferInput = Readonly<{
  port: number
  /** Of the service. */
  pid: number
  ms: number
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
  /** Served per second of the processor time that the service took meanwhile, not counting what opening connections takes. */
  servedPerCpuSecond: number
}>

type Asker = {
  readonly socket: Socket
  since: number
  isOpen: boolean
  status: string
  /** How much of the answer is still to come. */
  left: number
}

/** Sends requests at a fixed rate, whether or not earlier ones were answered, for as many as it has connections. */
export const offer = async (input: OfferInput): Promise<OfferOutput> => {
  pinTo(process.pid, input.cpu)
  const askers = await openAll(input)
  const tally = { offered: 0, failed: 0, served: [] as number[], shed: [] as number[] }
  const bytes = Buffer.from(input.request)
  const idle = [...askers]
  const time = deadline(input.ms)
  const sleep = stayAwake()
  const serviceBefore = cpuMicroseconds(input.pid)
  const ask = (asker: Asker): void => {
    tally.offered++
    asker.since = performance.now()
    asker.socket.write(bytes)
  }
  for (const asker of askers) {
    asker.socket.on('data', (chunk: Buffer) => {
      if (!isLastOf(asker, chunk)) return
      const { status } = asker
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
  const serviceSeconds = (cpuMicroseconds(input.pid) - serviceBefore) / 1e6
  sleep()
  for (const { socket } of askers) socket.resetAndDestroy()
  return {
    ...outputOf(tally, input.ms / 1000),
    servedPerCpuSecond: tally.served.length / serviceSeconds,
  }
}

/** Whether an answer ends with this chunk. Its head comes in one piece, as it is shorter than a packet. */
const isLastOf = (asker: Asker, chunk: Buffer): boolean => {
  if (asker.left === 0) {
    const head = chunk.toString('latin1', 0, maxHead)
    const [all, status = '', length = '0'] = headPattern.exec(head) ?? []
    asker.status = status
    asker.left = all === undefined ? chunk.length : all.length + Number(length)
  }
  asker.left = Math.max(0, asker.left - chunk.length)
  return asker.left === 0
}

const maxHead = 1024
const headPattern = /^HTTP\/1.1 (\d+).*?\r\nContent-Length: (\d+)\r\n.*?\r\n\r\n/is

const openAll = async ({ port, connections }: OfferInput): Promise<readonly Asker[]> => {
  const askers: Asker[] = []
  for (let i = 0; i < connections; i++) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const asker = { socket, since: 0, isOpen: true, status: '', left: 0 }
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
