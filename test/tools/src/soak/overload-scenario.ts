import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { connectTo } from '@snippets/test/support/attack/run-attack.js'
import { get } from '@snippets/test/support/http/wire.js'
import { fill } from '../measuring/load.js'
import type { MeasuredProcess } from '../measuring/measured-process.js'
import { page } from './raw-requests.js'
import { atLeast, atMost, onService, readBeside } from './scenario.js'

/** The pages that a client requests in one write, because this process cannot open a connection for each. */
const pipelined = 10
const asked = Buffer.from(get(page(10)).repeat(pipelined))
/** A client leaves after this time without a response. */
const patienceMs = 1000

type Load = Readonly<{ ms: number; perSecond: number; clients: number }>

/** Sends requests at a fixed rate, independently of responses, on a free or new connection. */
const offer = async ({ port, usage }: MeasuredProcess, { ms, perSecond, clients }: Load) => {
  const free: Socket[] = []
  /** The times of the open requests, oldest first. */
  const waiting = new Map<Socket, number>()
  const counts = { offered: 0, 200: 0, 503: 0, other: 0, left: 0 }
  const open = (): Socket => {
    const socket = connectTo(port)
    let responses = 0
    let rest = ''
    socket.setEncoding('latin1').on('data', (text: string) => {
      const seen = rest + text
      // a status may arrive in two parts
      rest = seen.slice(-11)
      for (const [, status] of seen.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
        counts[status === '200' || status === '503' ? status : 'other']++
        responses++
      }
      if (responses % pipelined === 0 && waiting.delete(socket)) free.push(socket)
    })
    return socket.once('close', () => waiting.delete(socket))
  }
  const before = await usage()
  const begun = performance.now()
  for (let now = 0; now < ms; now = performance.now() - begun) {
    for (const [socket, since] of waiting) {
      if (now - since < patienceMs) break
      counts.left++
      waiting.delete(socket)
      socket.resetAndDestroy()
    }
    while (waiting.size < clients && counts.offered < (now / 1000) * perSecond) {
      const socket = free.pop() ?? open()
      if (!socket.writable) continue
      socket.write(asked)
      waiting.set(socket, now)
      counts.offered += pipelined
    }
    await pause(1)
  }
  const seconds = ((await usage()).cpuMicroseconds - before.cpuMicroseconds) / 1e6
  for (const socket of [...free, ...waiting.keys()]) socket.resetAndDestroy()
  return {
    ...counts,
    offeredPerSecond: (counts.offered * 1000) / ms,
    servedPerSecond: (counts[200] * 1000) / ms,
    // in processor time of the service, which does not depend on the load of the machine
    servedPerCpuSecond: counts[200] / seconds,
  }
}

const percentOf = (part: number, all: number): number => (part / all) * 100

export const overload = onService('overload', async service => {
  await fill(service.port, 100)
  const peakLoad = { ms: 5000, perSecond: Number.POSITIVE_INFINITY, clients: 32 }
  await offer(service, peakLoad)
  const peak = await offer(service, peakLoad)
  const fivefold = offer(service, { ms: 20_000, clients: 10_000, perSecond: 5 * peak.servedPerSecond })
  const { result: during, ...probes } = await readBeside(service.adminPort, '/livez', fivefold)
  await pause(2000)
  const after = await offer(service, peakLoad)
  console.error(JSON.stringify({ peak, during, after }))
  return [
    atLeast('offered load, of the peak', percentOf(during.offeredPerSecond, peak.servedPerSecond), 300, ' %'),
    atLeast('goodput, of the peak', percentOf(during.servedPerCpuSecond, peak.servedPerCpuSecond), 60, ' %'),
    atMost('responses with neither 200 nor 503', during.other, 0),
    atMost('slowest /livez meanwhile', probes.slowest, 1000, ' ms'),
    atLeast('goodput 2 s later, of the peak', percentOf(after.servedPerCpuSecond, peak.servedPerCpuSecond), 85, ' %'),
  ]
})
