import { setTimeout as pause } from 'node:timers/promises'
import { get } from '../../support/http/wire.js'
import type { MeasuredProcess } from '../measuring/measured-process.js'
import { firstBytesOf, open } from './raw-requests.js'
import { atMost, type Finding, maxMegabytes, maxWaitMs, until } from './scenario.js'

/** Measures the peak memory, and the longest wait of an ordinary client, during the attack. */
export const measureWait = async (
  { port, usage }: MeasuredProcess,
  crowd: string,
  attack: () => Promise<unknown>,
): Promise<readonly Finding[]> => {
  let slowest = 0
  await until(attack(), async () => {
    const client = await open(port)
    client.write(get('/api/users/'))
    const { ms, status } = await firstBytesOf(client)
    slowest = Math.max(slowest, status === 200 ? ms : Number.POSITIVE_INFINITY)
    client.destroy()
    await pause(50)
  })
  return [
    atMost(`${crowd}: peak memory`, (await usage()).peakMegabytes, maxMegabytes, ' MB'),
    atMost('the longest wait of another client', slowest, maxWaitMs, ' ms'),
  ]
}
