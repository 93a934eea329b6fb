import { Agent } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { get } from '@snippets/test/support/http/wire.js'
import { contentOf, fill } from '../measuring/load.js'
import { ask, firstBytesOf, heaviestCode, manyFields, open, page, posting, urlOf } from './raw-requests.js'
import { atLeast, atMost, onService, peakMemory, readBeside, until } from './scenario.js'

/** What a client sends at once, and about twice a second: a byte, and a read if it reads slowly. */
type Client = Readonly<{ sends?: string; drips?: string; readsSlowly?: boolean }>

/** Keeps connections of these kinds open, and opens another one for each that the service closes. */
const keepCrowd = async (port: number, count: number, kinds: readonly Client[], rejoinMs = 250) => {
  const sockets = new Set<Socket>()
  let isOver = false
  const join = async (i: number): Promise<void> => {
    const { sends = '', drips = '', readsSlowly = false } = kinds[i % kinds.length] ?? {}
    const socket = await open(port)
    if (isOver) return void socket.destroy()
    sockets.add(socket)
    socket.on('data', () => readsSlowly && socket.pause()).write(sends)
    let position = 0
    const step = (): void => {
      socket.resume()
      const byte = drips[position++]
      if (byte !== undefined && socket.writable) socket.write(byte)
    }
    // the periods differ, so that clients do not all send at once
    const steps = drips !== '' || readsSlowly ? setInterval(step, 400 + (i % 200)) : undefined
    socket.once('close', () => {
      clearInterval(steps)
      sockets.delete(socket)
      if (!isOver) setTimeout(join, rejoinMs, i)
    })
  }
  await Promise.all(Array.from({ length: count }, (_, i) => join(i)))
  return (): void => {
    isOver = true
    for (const socket of sockets) socket.destroy()
  }
}

const unfinished = posting('Content-Length: 9')
const unfinishedWithFields = posting('Content-Length: 9', manyFields(150))

export const unfinishedBodies = onService('unfinished', async ({ port }) => {
  const leave = await keepCrowd(port, 2048, [{ sends: unfinished }])
  await pause(2000)
  const { sent, failed, slowest } = await readBeside(port, '/api/users/', pause(10_000))
  leave()
  console.error(`${sent} requests, the slowest in ${slowest.toFixed(0)} ms`)
  return [atMost('failed requests beside 2,048 clients that never send their body', (100 * failed) / sent, 2.5, ' %')]
})

/** The heap of the container in docs/deploying.md. */
const documentedHeap = { NODE_OPTIONS: '--max-old-space-size=384' }

export const fullOfHeads = onService(
  'heads-full',
  async service => {
    await fill(service.port, 5000, '\u4e16'.repeat(8000)).catch(() => {})
    const leave = await keepCrowd(service.port, 4090, [{ sends: unfinishedWithFields }])
    await pause(10_000)
    leave()
    return [await peakMemory(service, 'a full storage and 4,090 heads of 14.8 KB: ', 480)]
  },
  documentedHeap,
)

export const packets = onService('packets', async service => {
  const leave = await keepCrowd(service.port, 300, [{ sends: get('/').repeat(1500) }])
  await pause(10_000)
  leave()
  return [await peakMemory(service, '300 clients send 1,500 requests in a packet: ')]
})

const list = '/api/snippets/'

export const lists = onService('lists', async ({ port }) => {
  await fill(port, 500, heaviestCode)
  const leave = await keepCrowd(port, 64, [{ sends: get(list), readsSlowly: true }], 60_000)
  await pause(3000)
  let answered = 0
  for (let i = 0; i < 15; i++) {
    const response = await fetch(urlOf(port, list))
    const { snippets } = JSON.parse(await response.text().catch(() => '{"snippets":[]}'))
    if (response.status === 200 && snippets.length === 500) answered++
    await pause(500)
  }
  leave()
  return [atLeast('complete lists of 15 beside 64 clients that read theirs slowly', answered, 15)]
})

/** Sends a body of a byte per 100 ms, and returns the status. */
const uploadSlowly = async (port: number, bytes: number): Promise<number> => {
  const socket = await open(port)
  const text = JSON.stringify(contentOf(1)).padEnd(bytes)
  socket.write(posting(`Content-Length: ${bytes}`))
  for (const byte of text) {
    await pause(20_000 / bytes)
    socket.write(byte)
  }
  const { status } = await firstBytesOf(socket)
  socket.destroy()
  return status
}

export const keepAlive = onService('keep-alive', async ({ port }) => {
  const upload = await uploadSlowly(port, 400)
  let [sent, cut] = [0, 0]
  const ending = pause(30_000)
  const clients = Array.from({ length: 2000 }, async (_, i) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    await pause(3 * i)
    await until(ending, async () => {
      sent++
      if ((await ask({ port, agent, isCreation: true })) !== 'answered') cut++
      await pause(2000 + 3 * (i % 1000))
    })
    agent.destroy()
  })
  await Promise.all(clients)
  return [
    atLeast('uploads of 20 s that are answered', upload === 201 ? 1 : 0, 1),
    atLeast('creations of 2,000 clients that keep their connections', sent, 10_000),
    atMost('creations that were cut off', cut, 0),
  ]
})

const slowKinds: readonly Client[] = [
  {},
  { sends: 'GET /api/snippets/ HTTP/1.1\r\nHost: localhost\r\nX-Slow: ', drips: 'x'.repeat(5000) },
  { sends: posting('Content-Length: 5000'), drips: ' '.repeat(5000) },
  { sends: get(page(100)).repeat(20), readsSlowly: true },
]

export const slowClients = onService('slow-clients', async ({ port }) => {
  await fill(port, 200)
  const leave = await keepCrowd(port, 1000, slowKinds)
  // the service accepts one connection per turn, and first sends the readers what fits into the kernel's buffers
  await pause(5000)
  const beside = await readBeside(port, page(10), pause(15_000))
  leave()
  return beside.findings('pages beside 1,000 slow, silent or dripping clients')
})
