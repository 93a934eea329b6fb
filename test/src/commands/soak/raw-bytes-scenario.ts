import { attackCase, describeAttack } from '../../support/attack/attack-case.js'
import { runAttack } from '../../support/attack/run-attack.js'
import type { MeasuredProcess } from '../measuring/measured-process.js'
import { firstBytesOf, get, open } from './raw-requests.js'
import { atLeast, atMost, onService, type Scenario } from './scenario.js'

/** With more, this process is too busy to see the answers in time. */
const clients = 16
/** So many connections before the end of the service are repeated, one at a time. */
const suspects = 4 * clients

export const rawBytes: Scenario = {
  name: 'raw-bytes',
  run: async options => {
    let lastSeed = 0
    const findings = await onService(options, async service => {
      const statuses = new Map<number, number>()
      await together(clients, async () => {
        while (lastSeed < options.cases && service.exit() === undefined)
          for (const status of await attackWith(++lastSeed, service))
            statuses.set(status, (statuses.get(status) ?? 0) + 1)
      })
      const socket = await open(service.port)
      socket.write(get('/api/snippets/config/'))
      const { status } = await firstBytesOf(socket)
      socket.destroy()
      console.error([...statuses].map(([status, count]) => `${count} x ${status}`).join(', '))
      return [
        atLeast('connections with any bytes and any close', lastSeed, options.cases),
        atMost('answers with 500', statuses.get(500) ?? 0, 0),
        atLeast('status of an ordinary request afterwards', status, 200),
      ]
    })
    if (lastSeed < options.cases) await showCulprit(options, lastSeed)
    return findings
  },
}

const attackWith = async (seed: number, { port, adminPort }: MeasuredProcess): Promise<readonly number[]> =>
  (await runAttack(seed % 8 === 0 ? adminPort : port, attackCase(seed))).statuses

const together = (count: number, run: () => Promise<void>): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, run))

const showCulprit = (options: Parameters<Scenario['run']>[0], lastSeed: number) =>
  onService(options, async service => {
    for (let seed = Math.max(1, lastSeed - suspects); seed <= lastSeed; seed++) {
      await attackWith(seed, service)
      if (service.exit() === undefined) continue
      console.error(`It ended after ${describeAttack(attackCase(seed))}`)
      break
    }
    return []
  })
