import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { serviceCommand, startMeasured } from '../measuring/measured-process.js'
import { page } from './raw-requests.js'
import { atLeast, atMost, type Scenario } from './scenario.js'

const cycles = 10
const clients = 64

type Outcome = 'answered' | 'cut' | 'unanswered' | 'refused'

/** Creates a snippet or asks for a page. */
const ask = (port: number, agent: Agent, id: string, isCreation: boolean): Promise<Outcome> =>
  new Promise(resolve => {
    const body = isCreation ? JSON.stringify({ title: id, code: 'c', language: 'l' }) : ''
    const path = isCreation ? '/api/snippets/' : page(10)
    const headers = { 'X-Request-Id': id, ...(isCreation && { 'Content-Type': 'application/json' }) }
    request({ agent, port, host: '127.0.0.1', path, headers, method: isCreation ? 'POST' : 'GET' }, response => {
      response
        .resume()
        .once('end', () => resolve('answered'))
        .once('error', () => resolve('cut'))
    })
      .once('error', error => resolve('code' in error && error.code === 'ECONNREFUSED' ? 'refused' : 'unanswered'))
      .end(body)
  })

/** Stops the service while clients ask without a pause, half of them on a new connection for each request. */
const stopOnce = async (node: string, afterMs: number) => {
  const service = await startMeasured({ ...serviceCommand, node })
  const { port } = service
  const outcomes = new Map<string, Outcome>()
  const loops = Array.from({ length: clients }, async (_, client) => {
    const agent = new Agent({ keepAlive: client % 2 === 0, maxSockets: 1 })
    for (let serial = 0, isListening = true; isListening; serial++) {
      const id = `soak-${client}-${serial}`
      const outcome = await ask(port, agent, id, serial % 3 === 0)
      outcomes.set(id, outcome)
      isListening = outcome !== 'refused'
    }
    agent.destroy()
  })
  await pause(afterMs)
  await service.end('SIGTERM')
  await Promise.all(loops)
  const log = service.log()
  const having = (wanted: Outcome) => [...outcomes].filter(([, outcome]) => outcome === wanted).map(([id]) => id)
  return {
    isClean: service.exit() === 0,
    answered: having('answered').length,
    cut: having('cut').length,
    // a request of which the log knows was received; any other met a connection that was being closed as idle
    lost: having('unanswered').filter(id => log.includes(`"${id}"`)).length,
    unanswered: having('unanswered').length,
  }
}

export const stopping: Scenario = {
  name: 'stopping',
  run: async ({ node }) => {
    const results: Awaited<ReturnType<typeof stopOnce>>[] = []
    for (let cycle = 0; cycle < cycles; cycle++) results.push(await stopOnce(node, 1000 + 37 * cycle))
    const sum = (what: 'answered' | 'cut' | 'lost' | 'unanswered') => results.reduce((all, one) => all + one[what], 0)
    console.error(`${sum('answered')} answered, ${sum('unanswered')} met a connection that was being closed`)
    return [
      atLeast(
        `of ${cycles} times stopped under ${clients} clients with exit code 0`,
        results.filter(one => one.isClean).length,
        cycles,
      ),
      atMost('requests that were received and not answered', sum('lost'), 0),
      atMost('answers that were cut off', sum('cut'), 0),
    ]
  },
}
