import { setTimeout as pause } from 'node:timers/promises'
import autocannon from 'autocannon'
import { fill, get, open, page, posting } from './raw-requests.js'
import { atLeast, atMost, onService, type Scenario } from './scenario.js'

const urlOf = (port: number, path: string): string => `http://127.0.0.1:${port}${path}`

/** The slowest answer of a client that asks ten times a second. */
const slowest = async (url: string, until: PromiseLike<unknown>): Promise<number> => {
  let isOver = false
  const over = (): void => {
    isOver = true
  }
  until.then(over, over)
  let worst = 0
  while (!isOver) {
    const begun = performance.now()
    await (await fetch(url, { signal: AbortSignal.timeout(10_000) })).arrayBuffer()
    worst = Math.max(worst, performance.now() - begun)
    await pause(100)
  }
  return worst
}

export const liveness: Scenario = {
  name: 'livez',
  run: options =>
    onService(options, async ({ port, adminPort }) => {
      await fill(port, 100, 'short')
      // in a thread of its own, which does not hold up the client that is measured
      const load = autocannon({ url: urlOf(port, page(10)), connections: 2000, duration: 10, workers: 1 })
      return [
        atMost('/livez beside 2,000 busy connections', await slowest(urlOf(adminPort, '/livez'), load), 1000, ' ms'),
      ]
    }),
}

/** What each kind of slow client sends, one byte at a time: nothing, a head, a body. */
const drips = [
  { atOnce: '', slowly: '' },
  { atOnce: 'GET /api/snippets/ HTTP/1.1\r\nHost: a\r\nX-Slow: ', slowly: 'x'.repeat(5000) },
  { atOnce: posting('Content-Length: 5000'), slowly: ' '.repeat(5000) },
]
/** The last kind asks for pages and reads them slowly. */
const kinds = drips.length + 1

const joinCrowd = async (port: number, kind: number) => {
  const socket = await open(port)
  const { atOnce, slowly } = drips[kind] ?? { atOnce: get(page(100)).repeat(20), slowly: '' }
  const isReader = drips[kind] === undefined
  if (isReader) socket.on('data', () => socket.pause())
  else socket.resume()
  socket.write(atOnce)
  let position = 0
  const step = (): void => {
    if (isReader) socket.resume()
    const byte = slowly[position++]
    if (byte !== undefined && socket.writable) socket.write(byte)
  }
  return { socket, step, kind }
}

export const slowClients: Scenario = {
  name: 'slow-clients',
  run: options =>
    onService(options, async ({ port }) => {
      await fill(port, 200, 'short')
      const crowd = await Promise.all(Array.from({ length: 2000 }, (_, i) => joinCrowd(port, i % kinds)))
      const honest = autocannon({
        url: urlOf(port, page(10)),
        connections: 4,
        overallRate: 200,
        duration: 20,
        workers: 1,
        // autocannon sends a second's requests one after the other at its beginning
        ignoreCoordinatedOmission: true,
      })
      let isOver = false
      const over = (): void => {
        isOver = true
      }
      honest.then(over, over)
      for (let turn = 0; !isOver; turn++) {
        // a twentieth of them each time, so that they do not all send at once; who was closed comes again
        for (let i = turn % 20; i < crowd.length; i += 20) {
          const member = crowd[i]
          if (member === undefined) continue
          if (member.socket.destroyed) crowd[i] = await joinCrowd(port, member.kind)
          else member.step()
        }
        await pause(25)
      }
      const { latency, non2xx, errors, requests } = await honest
      for (const { socket } of crowd) socket.destroy()
      return [
        atMost('p99 of an ordinary client beside 2,000 slow, silent or dripping ones', latency.p99, 50, ' ms'),
        atMost('of its requests refused or failed', non2xx + errors, 0),
        atLeast('of its requests answered', requests.total, 3000),
      ]
    }),
}
