import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { MeasuredProcess } from '../measuring/measured-process.js'
import { fill, page } from './raw-requests.js'
import { atLeast, atMost, onService, type Scenario } from './scenario.js'

type Load = Readonly<{
  service: MeasuredProcess
  ms: number
  connections: number
  /** Undefined: each connection asks again as soon as it has its answer. */
  perSecond?: number
}>

/** A page of 240 KB: much dearer for the service than for its clients, which could not make five times its peak otherwise. */
const asked = { path: page(4), host: '127.0.0.1' }

/** Requests at a fixed rate, as long as a connection is free, whether or not earlier ones were answered. Counts by status. */
const offer = async ({ service, ms, connections, perSecond = Number.POSITIVE_INFINITY }: Load) => {
  const { port, usage } = service
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const counts = { offered: 0, served: 0, shed: 0, failed: 0 }
  let underWay = 0
  const before = await usage()
  const begun = performance.now()
  const elapsed = (): number => performance.now() - begun
  const ask = (): void => {
    counts.offered++
    underWay++
    let isOver = false
    const finish = (outcome: 'served' | 'shed' | 'failed') => (): void => {
      // a connection may fail after its answer
      if (isOver) return
      isOver = true
      underWay--
      if (elapsed() < ms) counts[outcome]++
    }
    request({ ...asked, agent, port }, response => {
      const outcome = response.statusCode === 200 ? 'served' : response.statusCode === 503 ? 'shed' : 'failed'
      response.resume().once('end', finish(outcome)).once('error', finish('failed'))
    })
      .once('error', finish('failed'))
      .end()
  }
  while (elapsed() < ms) {
    while (underWay < connections && counts.offered < (elapsed() / 1000) * perSecond) ask()
    await pause(1)
  }
  const seconds = ((await usage()).cpuMicroseconds - before.cpuMicroseconds) / 1e6
  for (const limit = elapsed() + 5000; underWay > 0 && elapsed() < limit; ) await pause(10)
  agent.destroy()
  return {
    ...counts,
    servedPerSecond: counts.served / (ms / 1000),
    offeredPerSecond: counts.offered / (ms / 1000),
    // of the service's own processor time, which others on the machine cannot take
    servedPerCpuSecond: counts.served / seconds,
  }
}

const times = 5

export const overload: Scenario = {
  name: 'overload',
  run: options =>
    onService(options, async service => {
      await fill(service.port, 100, 'heaviest')
      const peakLoad = { service, ms: 5000, connections: 32 }
      await offer(peakLoad)
      const peak = await offer(peakLoad)
      const during = await offer({ service, ms: 20_000, connections: 1000, perSecond: times * peak.servedPerSecond })
      await pause(2000)
      const after = await offer(peakLoad)
      console.error(JSON.stringify({ peak, during, after }))
      return [
        atLeast('offered, of the peak', (during.offeredPerSecond / peak.servedPerSecond) * 100, 300, ' %'),
        atLeast(
          'goodput meanwhile, of the peak',
          (during.servedPerCpuSecond / peak.servedPerCpuSecond) * 100,
          60,
          ' %',
        ),
        atMost('requests that were neither served nor refused with 503', during.failed, 0),
        atLeast('2 s later, of the peak', (after.servedPerCpuSecond / peak.servedPerCpuSecond) * 100, 85, ' %'),
      ]
    }),
}
