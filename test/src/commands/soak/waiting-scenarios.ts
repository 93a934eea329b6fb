import { Agent } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { get } from '../../support/http/wire.js'
import {
  ask,
  contentOf,
  fill,
  firstBytesOf,
  heaviestCode,
  manyFields,
  open,
  page,
  posting,
  urlOf,
} from './raw-requests.js'
import { atLeast, atMost, longestWait, onService, peakMemory, readBeside, smallHeap, until } from './scenario.js'

/** Keeps connections open that send these bytes, and opens another one for each that the service closes. */
const keepCrowd = async (port: number, count: number, bytes: string): Promise<() => void> => {
  const sockets = new Set<Socket>()
  let isOver = false
  const join = async (): Promise<void> => {
    const socket = await open(port)
    if (isOver) return void socket.destroy()
    sockets.add(socket)
    socket.resume().write(bytes)
    socket.once('close', () => {
      sockets.delete(socket)
      if (!isOver) setTimeout(join, 250)
    })
  }
  await Promise.all(Array.from({ length: count }, join))
  return () => {
    isOver = true
    for (const socket of sockets) socket.destroy()
  }
}

const unfinished = posting('Content-Length: 9')
const unfinishedWithFields = posting('Content-Length: 9', manyFields(150))

export const unfinishedBodies = onService(
  'unfinished',
  async ({ port }) => {
    const leave = await keepCrowd(port, 2048, unfinished)
    await pause(2000)
    const { sent, failed, slowest } = await readBeside(port, '/api/users/', pause(10_000))
    leave()
    console.error(`${sent} requests, the slowest in ${slowest.toFixed(0)} ms`)
    const percent = (100 * failed) / sent
    return [atMost('failed requests beside 2,048 clients that never send their body', percent, 2.5, ' %')]
  },
  smallHeap,
)

/** The heap of the container in docs/deploying.md. */
const documentedHeap = { NODE_OPTIONS: '--max-old-space-size=384' }

export const fullOfHeads = onService(
  'heads-full',
  async service => {
    await fill(service.port, 5000, '\u4e16'.repeat(8000)).catch(() => {})
    const leave = await keepCrowd(service.port, 4090, unfinishedWithFields)
    await pause(10_000)
    leave()
    return [await peakMemory(service, 'a full storage and 4,090 heads of 14.8 KB: ', 480)]
  },
  documentedHeap,
)

const list = '/api/snippets/'

/** Takes some bytes of the response each second. */
const readSlowly = async (port: number): Promise<Socket> => {
  const socket = await open(port)
  socket.on('data', () => socket.pause()).write(get(list))
  const timer = setInterval(() => socket.resume(), 1000)
  return socket.once('close', () => clearInterval(timer))
}

export const lists = onService(
  'lists',
  async ({ port }) => {
    await fill(port, 500, heaviestCode)
    const slow = await Promise.all(Array.from({ length: 64 }, () => readSlowly(port)))
    await pause(3000)
    let answered = 0
    for (let i = 0; i < 15; i++) {
      const response = await fetch(urlOf(port, list))
      const { snippets } = JSON.parse(await response.text().catch(() => '{"snippets":[]}'))
      if (response.status === 200 && snippets.length === 500) answered++
      await pause(500)
    }
    for (const socket of slow) socket.destroy()
    return [atLeast('complete lists of 15 beside 64 clients that read theirs slowly', answered, 15)]
  },
  smallHeap,
)

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

export const keepAlive = onService(
  'keep-alive',
  async ({ port }) => {
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
  },
  smallHeap,
)

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
  // the service accepts one connection per turn, and first sends the readers what fits into the kernel's buffers
  await pause(5000)
  const drip = async (): Promise<void> => {
    for (let turn = 0; turn < 600; turn++) {
      // a twentieth of the clients each time, so that they do not all send at once; a disconnected client reconnects
      for (const [i, { socket, step, kind }] of crowd.entries()) {
        if (i % 20 !== turn % 20) continue
        if (socket.destroyed) crowd[i] = await joinCrowd(port, kind)
        else step()
      }
      await pause(25)
    }
  }
  const beside = await readBeside(port, page(10), drip())
  return [
    longestWait('slowest page beside 1,000 slow, silent or dripping clients', beside),
    atMost('failed pages', beside.failed, 0),
  ]
})
