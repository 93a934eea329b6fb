import { setTimeout as pause } from 'node:timers/promises'
import autocannon from 'autocannon'
import { get } from '../../support/http/wire.js'
import { fill, open, page, posting, urlOf } from './raw-requests.js'
import { atLeast, atMost, onService, until } from './scenario.js'

export const liveness = onService('livez', async ({ port, adminPort }) => {
  await fill(port, 100)
  // in another thread, so that it does not block the measured client
  const load = autocannon({ url: urlOf(port, page(10)), connections: 2000, duration: 10, workers: 1 })
  let slowest = 0
  await until(load, async () => {
    const begun = performance.now()
    await (await fetch(urlOf(adminPort, '/livez'), { signal: AbortSignal.timeout(10_000) })).arrayBuffer()
    slowest = Math.max(slowest, performance.now() - begun)
    await pause(100)
  })
  return [atMost('/livez beside 2,000 busy connections', slowest, 1000, ' ms')]
})

/** For each kind of slow client: the bytes that it sends at once, and the bytes that it sends one at a time. */
const drips: readonly (readonly [string, string])[] = [
  ['', ''],
  ['GET /api/snippets/ HTTP/1.1\r\nHost: localhost\r\nX-Slow: ', 'x'.repeat(5000)],
  [posting('Content-Length: 5000'), ' '.repeat(5000)],
]

/** The last kind of client requests pages and reads them slowly. */
const joinCrowd = async (port: number, kind: number) => {
  const socket = await open(port)
  const isReader = drips[kind] === undefined
  const [atOnce, slowly] = drips[kind] ?? [get(page(100)).repeat(20), '']
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

export const slowClients = onService('slow-clients', async ({ port }) => {
  await fill(port, 200)
  const crowd = await Promise.all(Array.from({ length: 1000 }, (_, i) => joinCrowd(port, i % (drips.length + 1))))
  const honest = autocannon({
    url: urlOf(port, page(10)),
    connections: 4,
    overallRate: 200,
    duration: 20,
    workers: 1,
    // autocannon sends the requests of each second at its beginning
    ignoreCoordinatedOmission: true,
  })
  const { latency, non2xx, errors, requests } = await until(honest, async turn => {
    // a twentieth of the clients each time, so that they do not all send at once; a disconnected client reconnects
    for (const [i, { socket, step, kind }] of crowd.entries()) {
      if (i % 20 !== turn % 20) continue
      if (socket.destroyed) crowd[i] = await joinCrowd(port, kind)
      else step()
    }
    await pause(25)
  })
  return [
    atMost('p99 of an ordinary client beside 1,000 slow, silent or dripping clients', latency.p99, 50, ' ms'),
    atMost('rejected or failed requests of the ordinary client', non2xx + errors, 0),
    atLeast('answered requests of the ordinary client', requests.total, 3000),
  ]
})
