import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { deadline, together } from './timing.js'

export type HungryInput = Readonly<{
  port: number
  ms: number
  connections: number
  /** Sent at once, this many times in a row. */
  request: string
  repeats: number
  /** Milliseconds before a client begins to read; with 'never' it does not. */
  readsAfterMs: number | 'never'
}>

export type HungryOutput = Readonly<{ megabytes: number; answers: number; closed: number }>

/** Clients that ask for much at once, and read it late or never. They leave once they have had no byte for two seconds. */
export const hungry = async (input: HungryInput, onBegun: () => void): Promise<HungryOutput> => {
  const { port, ms, connections, request, repeats, readsAfterMs } = input
  const time = deadline(ms)
  const total = { megabytes: 0, answers: 0, closed: 0 }
  const bytes = Buffer.from(request.repeat(repeats))
  const sockets = await together(connections, async () => openSocket(port, bytes))
  onBegun()
  if (readsAfterMs === 'never') await wait(ms)
  else {
    await wait(Math.min(readsAfterMs, ms))
    await Promise.all(sockets.map(socket => readAll(socket, { total, repeats, ms: time.left() })))
  }
  for (const socket of sockets) socket.destroy()
  return total
}

const openSocket = async (port: number, bytes: Buffer): Promise<Socket> => {
  const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {})
  socket.pause()
  await new Promise<void>(resolve => socket.once('connect', resolve).once('close', () => resolve()))
  socket.write(bytes)
  return socket
}

type Reading = Readonly<{ total: { megabytes: number; answers: number; closed: number }; repeats: number; ms: number }>

const idleMs = 2000

const readAll = (socket: Socket, { total, repeats, ms }: Reading): Promise<void> =>
  new Promise(resolve => {
    let answers = 0
    const late = setTimeout(() => resolve(), ms)
    const finish = (): void => {
      clearTimeout(late)
      resolve()
    }
    socket.setTimeout(idleMs, finish)
    socket.once('close', () => {
      total.closed++
      finish()
    })
    socket.on('data', (chunk: Buffer) => {
      total.megabytes += chunk.length / 1e6
      const seen = countHeads(chunk)
      answers += seen
      total.answers += seen
      // the last answer is read until the silence after it
      if (answers >= repeats) socket.setTimeout(200, finish)
    })
    socket.resume()
  })

const start = Buffer.from('HTTP/1.1 200')

/** Answers that begin in the chunk. One that is cut between two chunks is missed. */
const countHeads = (chunk: Buffer): number => {
  let count = 0
  for (let at = chunk.indexOf(start); at >= 0; at = chunk.indexOf(start, at + 1)) count++
  return count
}
