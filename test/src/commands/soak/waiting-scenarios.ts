import { Agent, request } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { get } from '../../support/http/wire.js'
import { bodyOf } from '../../support/samples.js'
import type { MeasuredProcess } from '../measuring/measured-process.js'
import { measureWait } from './measure-wait.js'
import {
  contentOf,
  fill,
  firstBytesOf,
  heaviestCode,
  manyFields,
  open,
  openAll,
  posting,
  urlOf,
} from './raw-requests.js'
import { atLeast, atMost, onService, smallHeap, until } from './scenario.js'

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

/** Sends requests on new connections, and returns how many are not answered with 200. */
const countFailures = async ({ port }: MeasuredProcess, requests: number): Promise<number> => {
  let failed = 0
  for (let i = 0; i < requests; i++) {
    const client = await open(port)
    client.write(get('/api/users/'))
    if ((await firstBytesOf(client)).status !== 200) failed++
    client.destroy()
    await pause(250)
  }
  return failed
}

const unfinished = posting('Content-Length: 9')
const unfinishedWithFields = `POST /api/snippets/ HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n${manyFields(195)}\r\n\r\n`

export const unfinishedBodies = onService(
  'unfinished',
  async service => {
    const leave = await keepCrowd(service.port, 2048, unfinished)
    await pause(2000)
    const failed = await countFailures(service, 40)
    leave()
    return [atMost('failed of 40 requests beside 2,048 clients that never send their body', failed, 1)]
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
    const { peakMegabytes } = await service.usage()
    return [atMost('peak memory beside a full storage and 4,090 heads of 13.6 KB', peakMegabytes, 480, ' MB')]
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

/** Creates a snippet, and returns false if the connection is cut. */
const post = (port: number, agent: Agent): Promise<boolean> =>
  new Promise(resolve => {
    const headers = { 'Content-Type': 'application/json' }
    request({ agent, port, host: '127.0.0.1', path: list, method: 'POST', headers }, response => {
      response.resume().once('end', () => resolve(response.statusCode === 201))
    })
      .once('error', () => resolve(false))
      .end(JSON.stringify(bodyOf({ title: 't', code: 'c', language: 'l' })))
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
        if (!(await post(port, agent))) cut++
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

export const parse = onService(
  'parse',
  async service => {
    const body = `{"title":"${'\\u00e9'.repeat(40_000)}"}`
    return measureWait(service, '120 clients complete a body of 240 KB at once', async () => {
      const sockets = await openAll(service.port, 120)
      for (const socket of sockets) socket.write(posting(`Content-Length: ${body.length}`) + body.slice(0, -1))
      await pause(2000)
      for (const socket of sockets) socket.write(body.slice(-1))
      await pause(2000)
      for (const socket of sockets) socket.destroy()
    })
  },
  smallHeap,
)

/** The snippet with the most memory per response: V8 stores its JSON in two bytes per character. */
const heaviestSnippet = `\u4e16${'\u0001'.repeat(9999)}`

export const unreadSingle = onService(
  'unread-single',
  async service => {
    await fill(service.port, 1, heaviestSnippet)
    return measureWait(service, '1,200 clients ask for the heaviest snippet until responses stop', async () => {
      const sockets = await openAll(service.port, 1200)
      for (const socket of sockets) socket.pause()
      // more than the buffers of the kernel take
      for (let round = 0; round < 5; round++)
        for (const [i, socket] of sockets.entries()) {
          socket.write(get(`${list}1/`).repeat(12))
          // this crowd holds memory; it does not exceed the throughput
          if (i % 2 === 0) await pause(10)
        }
      await pause(3000)
      for (const socket of sockets) socket.destroy()
    })
  },
  smallHeap,
)
