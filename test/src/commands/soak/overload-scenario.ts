import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { fill } from './raw-requests.js'
import { atLeast, atMost, onService, type Scenario } from './scenario.js'

type Load = Readonly<{
  port: number
  ms: number
  connections: number
  /** Undefined: each connection asks again as soon as it has its answer. */
  perSecond?: number
}>

/** Much dearer for the service than for its clients, which could not make five times its peak on one core otherwise. */
const body = `{"title":"t","ignored":[${'[],'.repeat(4500)}[]]}`
const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length }
const asked = { method: 'PATCH', path: '/api/snippets-viewset/1/', host: '127.0.0.1', headers }

/** Requests at a fixed rate, as long as a connection is free, whether or not earlier ones were answered. Counts by status. */
const offer = async ({ port, ms, connections, perSecond = Number.POSITIVE_INFINITY }: Load) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const counts = { offered: 0, served: 0, shed: 0, failed: 0 }
  let underWay = 0
  const begun = performance.now()
  const elapsed = (): number => performance.now() - begun
  const ask = (): void => {
    counts.offered++
    underWay++
    const finish = (outcome: 'served' | 'shed' | 'failed') => (): void => {
      underWay--
      if (elapsed() < ms) counts[outcome]++
    }
    request({ ...asked, agent, port }, response => {
      const outcome = response.statusCode === 200 ? 'served' : response.statusCode === 503 ? 'shed' : 'failed'
      response.resume().once('end', finish(outcome)).once('error', finish('failed'))
    })
      .once('error', finish('failed'))
      .end(body)
  }
  while (elapsed() < ms) {
    while (underWay < connections && counts.offered < (elapsed() / 1000) * perSecond) ask()
    await pause(1)
  }
  for (const limit = elapsed() + 5000; underWay > 0 && elapsed() < limit; ) await pause(10)
  agent.destroy()
  return { ...counts, servedPerSecond: counts.served / (ms / 1000), offeredPerSecond: counts.offered / (ms / 1000) }
}

const times = 5

export const overload: Scenario = {
  name: 'overload',
  run: options =>
    onService(options, async ({ port }) => {
      await fill(port, 1, 'short')
      const peakLoad = { port, ms: 5000, connections: 32 }
      await offer(peakLoad)
      const peak = (await offer(peakLoad)).servedPerSecond
      const during = await offer({ port, ms: 20_000, connections: 1000, perSecond: times * peak })
      await pause(2000)
      const after = (await offer(peakLoad)).servedPerSecond
      console.error(`peak ${peak} a second; ${JSON.stringify(during)}`)
      return [
        atLeast(`offered, of ${times} times the peak`, (during.offeredPerSecond / (times * peak)) * 100, 80, ' %'),
        atLeast('goodput meanwhile, of the peak', (during.servedPerSecond / peak) * 100, 60, ' %'),
        atMost('requests that were neither served nor refused with 503', during.failed, 0),
        atLeast('2 s later, of the peak', (after / peak) * 100, 85, ' %'),
      ]
    }),
}
