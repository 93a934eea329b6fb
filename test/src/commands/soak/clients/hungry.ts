import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createReader } from '../../measuring/response-reader.js'
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

export type HungryOutput = Readonly<Total>

/** Clients that ask for much at once, and read it late or never. */
export const hungry = async (input: HungryInput, onBegun: () => void): Promise<HungryOutput> => {
  const { port, ms, connections, request, repeats, readsAfterMs } = input
  const time = deadline(ms)
  const total: Total = { megabytes: 0, answers: 0, shed: 0, closed: 0 }
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

type Total = { megabytes: number; answers: number; shed: number; closed: number }
type Reading = Readonly<{ total: Total; repeats: number; ms: number }>

/** Until the last answer, the end of the connection or of the time. */
const readAll = (socket: Socket, { total, repeats, ms }: Reading): Promise<void> =>
  new Promise(resolve => {
    const late = setTimeout(() => resolve(), ms)
    const finish = (): void => {
      clearTimeout(late)
      resolve()
    }
    let answers = 0
    let reader = createReader()
    const add = (bytes: Buffer): void => {
      for (let rest = reader.add(bytes); rest !== undefined; rest = reader.add(rest)) {
        if (reader.answer().status === 503) total.shed++
        reader = createReader()
        answers++
        total.answers++
      }
      if (answers >= repeats) finish()
    }
    socket.once('close', () => {
      total.closed++
      finish()
    })
    socket.on('data', (chunk: Buffer) => {
      total.megabytes += chunk.length / 1e6
      add(chunk)
    })
    socket.resume()
  })
