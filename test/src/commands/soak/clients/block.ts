import { setTimeout as wait } from 'node:timers/promises'
import { openLink } from './link.js'
import { get } from './requests.js'
import { deadline, quantile } from './timing.js'
import { worstRequests } from './worst-requests.js'

export type BlockInput = Readonly<{ port: number; ms: number; repeats: number }>

export type BlockOutput = readonly Readonly<{ what: string; status: number; blockedMs: number }>[]

/**
 * Sends each of the worst requests while another connection asks without a pause. How long that one had to wait is how
 * long the event loop was blocked; the median of some repetitions leaves out what the machine did otherwise.
 */
export const block = async ({ port, ms, repeats }: BlockInput): Promise<BlockOutput> => {
  const time = deadline(ms)
  const probe = await startProbe(port)
  const blocked: { what: string; status: number; blockedMs: number }[] = []
  for (const { what, bytes } of worstRequests()) {
    const times: number[] = []
    let status = 0
    for (let i = 0; i < repeats && !time.isOver(); i++) {
      const link = openLink(port, 5000)
      probe.reset()
      const outcome = await link.ask(bytes)
      await wait(10)
      times.push(probe.worst())
      if (outcome.how === 'answered') status = outcome.status
      link.close()
    }
    if (times.length > 0) blocked.push({ what, status, blockedMs: quantile(times, 0.5) })
  }
  await probe.end()
  return blocked
}

const startProbe = async (port: number) => {
  const link = openLink(port, 5000)
  const request = get('/api/snippets/config/')
  for (let i = 0; i < 2000; i++) await link.ask(request)
  let worst = 0
  let isOn = true
  const running = (async () => {
    while (isOn) worst = Math.max(worst, (await link.ask(request)).ms)
  })()
  const end = async (): Promise<void> => {
    isOn = false
    await running
    link.close()
  }
  const reset = (): void => {
    worst = 0
  }
  return { reset, worst: () => worst, end }
}
