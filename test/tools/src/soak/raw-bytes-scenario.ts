import { attackCase } from '@snippets/test/support/attack/attack-case.js'
import { runAttack } from '@snippets/test/support/attack/run-attack.js'
import { urlOf } from './raw-requests.js'
import { atLeast, atMost, onService } from './scenario.js'

/** The connections at a time. With more, this process reads the responses too late. */
const clients = 16
const cases = 200_000

export const rawBytes = onService('raw-bytes', async ({ port, adminPort, exit, log }) => {
  let seed = 0
  const statuses: Record<number, number> = {}
  const inFlight = new Set<number>()
  const attack = async (): Promise<void> => {
    while (seed < cases && exit() === undefined) {
      const own = ++seed
      inFlight.add(own)
      for (const status of await runAttack(own % 8 === 0 ? adminPort : port, attackCase(own)))
        statuses[status] = (statuses[status] ?? 0) + 1
      if (exit() === undefined) inFlight.delete(own)
      if (own % 20_000 === 0) console.error(`${own} connections`)
    }
  }
  await Promise.all(Array.from({ length: clients }, attack))
  // empty unless the service has exited
  for (const own of inFlight) console.error('Open when the service exited:', own, attackCase(own))
  const { status } = await fetch(urlOf(port, '/api/snippets/config/'))
  console.error(statuses)
  return [
    atLeast('connections with random bytes and endings', seed, cases),
    atMost('responses with 500', log().match(/"status":500/g)?.length ?? 0, 0),
    atLeast('ordinary requests answered with 200 afterwards', status === 200 ? 1 : 0, 1),
  ]
})
