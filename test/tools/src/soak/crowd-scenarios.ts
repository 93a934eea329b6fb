import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { chunk, chunked, get } from '@snippets/test/support/http/wire.js'
import { fill } from '../measuring/load.js'
import { heaviestCode, manyFields, open, page, posting, send, urlOf } from './raw-requests.js'
import { type Finding, onService, peakMemory, readBeside, type Scenario } from './scenario.js'

type Crowd = Readonly<{
  what: string
  clients: number
  /** Sends on the open connections, which are closed three seconds later. */
  attack: (sockets: readonly Socket[]) => Promise<unknown>
}>

/** A scenario of crowds that attack one after the other, with this many snippets of this code. */
const crowdScenario = (name: string, amount: number, code: string, crowds: readonly Crowd[]): Scenario =>
  onService(name, async service => {
    const { port } = service
    if (amount > 0) await fill(port, amount, code)
    // V8 compiles the code of a service in use
    for (let i = 0; i < 5; i++) await (await fetch(urlOf(port, page(100)))).text()
    const findings: Finding[] = []
    for (const crowd of crowds) {
      const sockets = await Promise.all(Array.from({ length: crowd.clients }, () => open(port)))
      // Node accepts connections in their order, one per turn, so now it has accepted the crowd
      await send(port, get('/api/users/'))
      const attack = crowd.attack(sockets).then(() => pause(3000))
      const beside = await readBeside(port, '/api/users/', attack)
      for (const socket of sockets) socket.destroy()
      const memory = await peakMemory(service, `${crowd.clients.toLocaleString('en')} clients ${crowd.what}: `)
      findings.push(memory, ...beside.findings('requests of other clients'))
    }
    return findings
  })

/** Sends on each connection in turn. Sending everything at once would measure the speed of this process. */
const inTurn =
  (send: (socket: Socket) => unknown, perPause = 4) =>
  async (sockets: readonly Socket[]): Promise<void> => {
    for (const [i, socket] of sockets.entries()) {
      send(socket)
      if (i % perPause === 0) await pause(10)
    }
  }

/** Queues requests with this head. An unread response blocks the queue. */
const queue = (what: string, fields: string): Crowd => {
  const bytes = get(page(100)).repeat(2) + get('/api/users/', fields).repeat(30)
  return {
    what: `send 32 requests at once with ${what}`,
    clients: 200,
    attack: inTurn(socket => socket.pause().write(bytes)),
  }
}

const unfinished = `${posting('Content-Length: 262144')}{"title":"\u00e9${'x'.repeat(250_000)}`

const slowToParse = `{"title":"${'\\u00e9'.repeat(40_000)}"}`

/** The snippet with the most memory per response: V8 stores its JSON in two bytes per character. */
const heaviestSnippet = `\u4e16${'\u0001'.repeat(9999)}`

export const crowdScenarios: readonly Scenario[] = [
  crowdScenario('heads', 100, heaviestCode, [
    queue('95 long fields', manyFields(64)),
    queue('2,700 fields', Array(2700).fill('a:').join('\r\n')),
  ]),
  crowdScenario('bodies', 0, '', [
    {
      what: 'send 250 KB of a body that never ends',
      clients: 1000,
      attack: inTurn(socket => socket.write(unfinished)),
    },
    {
      what: 'send 60 KB of a body in chunks of a byte',
      clients: 200,
      attack: inTurn(socket => socket.write(posting(chunked) + chunk(' ').repeat(10_000)), 1),
    },
  ]),
  crowdScenario('unread', 100, '\u4e16'.repeat(10_000), [
    {
      what: 'never read a page of 3 MB',
      clients: 2000,
      attack: inTurn(socket => socket.pause().write(get(page(100)))),
    },
  ]),
  crowdScenario('parse', 0, '', [
    {
      what: 'complete a body of 240 KB at once',
      clients: 120,
      attack: async sockets => {
        const head = posting(`Content-Length: ${slowToParse.length}`)
        for (const socket of sockets) socket.write(head + slowToParse.slice(0, -1))
        await pause(2000)
        for (const socket of sockets) socket.write(slowToParse.slice(-1))
      },
    },
  ]),
  crowdScenario('unread-single', 1, heaviestSnippet, [
    {
      what: 'ask for the heaviest snippet until responses stop',
      clients: 1200,
      attack: async sockets => {
        // more than the buffers of the kernel take; this crowd holds memory, and does not exceed the throughput
        for (let round = 0; round < 12; round++)
          await inTurn(socket => socket.pause().write(get('/api/snippets/1/').repeat(5)))(sockets)
      },
    },
  ]),
]
