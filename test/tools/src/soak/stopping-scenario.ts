import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { startMeasured } from '../measuring/measured-process.js'
import { ask, type Outcome } from './raw-requests.js'
import { atMost, type Finding, type Scenario, smallHeap } from './scenario.js'

const cycles = 10

type Stop = Readonly<{ cut: number; lost: number; reset: number; unclean: number; ms: number }>

/** Stops the service under load. Half of the clients open a new connection for each request. */
const stopOnce = async (clients: number, pauseMs: number, afterMs: number): Promise<Stop> => {
  const service = await startMeasured(smallHeap)
  const unanswered: Readonly<{ id: string; sentAt: number }>[] = []
  let cut = 0
  const loops = Array.from({ length: clients }, async (_, client) => {
    const agent = new Agent({ keepAlive: client % 2 === 0, maxSockets: 1 })
    for (let serial = 0, outcome: Outcome = 'answered'; outcome !== 'refused'; serial++) {
      const id = `soak-${client}-${serial}`
      let sentAt = Number.POSITIVE_INFINITY
      const onSent = (): void => {
        sentAt = performance.now()
      }
      outcome = await ask({ port: service.port, agent, id, isCreation: serial % 3 === 0, onSent })
      if (outcome === 'unanswered') unanswered.push({ id, sentAt })
      if (outcome === 'cut') cut++
      await pause(pauseMs)
    }
    agent.destroy()
  })
  await pause(afterMs)
  const stoppedAt = performance.now()
  await service.end('SIGTERM')
  const ms = performance.now() - stoppedAt
  await Promise.all(loops)
  const log = service.log()
  return {
    cut,
    // a logged request was received
    lost: unanswered.filter(({ id }) => log.includes(`"${id}"`)).length,
    reset: unanswered.filter(({ sentAt }) => sentAt < stoppedAt).length,
    unclean: service.exit() === 0 ? 0 : 1,
    ms,
  }
}

/** Returns the worst of several stops. */
const stopRepeatedly = async (clients: number, pauseMs: number): Promise<readonly Finding[]> => {
  const stops: Stop[] = []
  for (let cycle = 0; cycle < cycles; cycle++) stops.push(await stopOnce(clients, pauseMs, 1000 + 37 * cycle))
  const worst = (what: keyof Stop): number => Math.max(...stops.map(stop => stop[what]))
  return [
    atMost(`${cycles} stops under ${clients} clients: another exit code than 0`, worst('unclean'), 0),
    atMost('requests that were received and not answered, in one stop', worst('lost'), 0),
    atMost('responses that were cut off, in one stop', worst('cut'), 0),
    atMost('requests sent before the signal and reset, in one stop', worst('reset'), 1),
    atMost('the slowest stop', worst('ms'), 2000, ' ms'),
  ]
}

export const stopping: Scenario = {
  name: 'stopping',
  run: async () => [...(await stopRepeatedly(64, 0)), ...(await stopRepeatedly(40, 100))],
}
