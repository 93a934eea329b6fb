import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { serviceCommand, startMeasured } from '../measuring/measured-process.js'
import { ask, type Outcome } from './raw-requests.js'
import { atLeast, atMost, type Finding, type Scenario, smallHeap } from './scenario.js'

const cycles = 10

type Counts = { clean: number; lost: number; mostReset: number; slowest: number } & Record<Outcome, number>

type Load = Readonly<{ clients: number; pauseMs: number }>
const full: Load = { clients: 64, pauseMs: 0 }
const light: Load = { clients: 40, pauseMs: 100 }

/** Stops the service under load. Half of the clients open a new connection for each request. */
const stopOnce = async ({ clients, pauseMs }: Load, afterMs: number, counts: Counts): Promise<void> => {
  const service = await startMeasured({ ...serviceCommand, env: smallHeap })
  const unanswered: string[] = []
  let stoppedAt = Number.POSITIVE_INFINITY
  let reset = 0
  const loops = Array.from({ length: clients }, async (_, client) => {
    const agent = new Agent({ keepAlive: client % 2 === 0, maxSockets: 1 })
    for (let serial = 0, outcome: Outcome = 'answered'; outcome !== 'refused'; serial++) {
      const id = `soak-${client}-${serial}`
      let sentAt = Number.POSITIVE_INFINITY
      const onSent = (): void => {
        sentAt = performance.now()
      }
      outcome = await ask({ port: service.port, agent, id, isCreation: serial % 3 === 0, onSent })
      counts[outcome]++
      if (outcome === 'unanswered') unanswered.push(id)
      if (outcome === 'unanswered' && sentAt < stoppedAt) reset++
      await pause(pauseMs)
    }
    agent.destroy()
  })
  await pause(afterMs)
  stoppedAt = performance.now()
  await service.end('SIGTERM')
  counts.slowest = Math.max(counts.slowest, performance.now() - stoppedAt)
  await Promise.all(loops)
  const log = service.log()
  // a logged request was received
  counts.lost += unanswered.filter(id => log.includes(`"${id}"`)).length
  counts.mostReset = Math.max(counts.mostReset, reset)
  if (service.exit() === 0) counts.clean++
}

export const stopping: Scenario = {
  name: 'stopping',
  run: async () => {
    const findings: Finding[] = []
    for (const load of [full, light]) {
      const counts = {
        clean: 0,
        answered: 0,
        rejected: 0,
        cut: 0,
        lost: 0,
        unanswered: 0,
        refused: 0,
        mostReset: 0,
        slowest: 0,
      }
      for (let cycle = 0; cycle < cycles; cycle++) await stopOnce(load, 1000 + 37 * cycle, counts)
      console.error(counts)
      findings.push(
        atLeast(`of ${cycles} times stopped under ${load.clients} clients with exit code 0`, counts.clean, cycles),
        atMost('requests that were received and not answered', counts.lost, 0),
        atMost('responses that were cut off', counts.cut, 0),
        atMost('requests sent before the signal and reset, in one stop', counts.mostReset, 1),
        atMost('the slowest stop', counts.slowest, 2000, ' ms'),
      )
    }
    return findings
  },
}
