import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { bodyOf } from '../../support/samples.js'
import { serviceCommand, startMeasured } from '../measuring/measured-process.js'
import { page } from './raw-requests.js'
import { atLeast, atMost, type Scenario } from './scenario.js'

const cycles = 10
const clients = 64

type Outcome = 'answered' | 'cut' | 'unanswered' | 'refused'

/** Creates a snippet or asks for a page. */
const ask = (port: number, agent: Agent, id: string, isCreation: boolean): Promise<Outcome> =>
  new Promise(resolve => {
    const [method, path] = isCreation ? ['POST', '/api/snippets/'] : ['GET', page(10)]
    const headers = { 'X-Request-Id': id, ...(isCreation && { 'Content-Type': 'application/json' }) }
    request({ agent, port, host: '127.0.0.1', path, headers, method }, response => {
      response.resume().once('end', () => resolve('answered'))
      response.once('error', () => resolve('cut'))
    })
      .once('error', error => resolve('code' in error && error.code === 'ECONNREFUSED' ? 'refused' : 'unanswered'))
      .end(isCreation ? JSON.stringify(bodyOf({ title: id, code: 'c', language: 'l' })) : '')
  })

type Counts = { clean: number; lost: number } & Record<Outcome, number>

/** Stops the service while clients ask without a pause, half of them on a new connection for each request. */
const stopOnce = async (node: string, afterMs: number, counts: Counts): Promise<void> => {
  const service = await startMeasured({ ...serviceCommand, node })
  const unanswered: string[] = []
  const loops = Array.from({ length: clients }, async (_, client) => {
    const agent = new Agent({ keepAlive: client % 2 === 0, maxSockets: 1 })
    for (let serial = 0, outcome: Outcome = 'answered'; outcome !== 'refused'; serial++) {
      const id = `soak-${client}-${serial}`
      outcome = await ask(service.port, agent, id, serial % 3 === 0)
      counts[outcome]++
      if (outcome === 'unanswered') unanswered.push(id)
    }
    agent.destroy()
  })
  await pause(afterMs)
  await service.end('SIGTERM')
  await Promise.all(loops)
  const log = service.log()
  // a request of which the log knows was received; any other met a connection that was being closed as idle
  counts.lost += unanswered.filter(id => log.includes(`"${id}"`)).length
  if (service.exit() === 0) counts.clean++
}

export const stopping: Scenario = {
  name: 'stopping',
  run: async ({ node }) => {
    const counts = { clean: 0, answered: 0, cut: 0, lost: 0, unanswered: 0, refused: 0 }
    for (let cycle = 0; cycle < cycles; cycle++) await stopOnce(node, 1000 + 37 * cycle, counts)
    console.error(counts)
    return [
      atLeast(`of ${cycles} times stopped under ${clients} clients with exit code 0`, counts.clean, cycles),
      atMost('requests that were received and not answered', counts.lost, 0),
      atMost('answers that were cut off', counts.cut, 0),
    ]
  },
}
