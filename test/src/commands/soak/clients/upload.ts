import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { deadline, together } from './timing.js'

export type UploadInput = Readonly<{
  port: number
  ms: number
  connections: number
  head: string
  /** Sent this often before `last`. */
  piece: string
  pieces: number
  last: string
}>

export type UploadOutput = Readonly<{
  statuses: Readonly<Record<string, number>>
  megabytes: number
  unanswered: number
}>

/** Clients that send large bodies, as fast as the service takes them, and end them all at about the same time. */
export const upload = async (input: UploadInput): Promise<UploadOutput> => {
  const { connections, ms, last } = input
  const time = deadline(ms)
  const statuses: Record<string, number> = {}
  let megabytes = 0
  let unanswered = 0
  const sending = await together(connections, async () => {
    const sent = await sendPieces(input, time)
    megabytes += sent.megabytes
    return sent
  })
  await together(connections, async index => {
    const sent = sending[index]
    if (sent === undefined) return
    if (sent.socket.writable) sent.socket.write(last)
    const status = await Promise.race([sent.status, wait(time.left() + 1000, undefined)])
    if (status === undefined) unanswered++
    else statuses[status] = (statuses[status] ?? 0) + 1
    sent.socket.destroy()
  })
  return { statuses, megabytes, unanswered }
}

type Sent = Readonly<{ socket: Socket; status: Promise<number | undefined>; megabytes: number }>

const sendPieces = async (
  { port, head, piece, pieces }: UploadInput,
  time: ReturnType<typeof deadline>,
): Promise<Sent> => {
  const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {})
  const status = new Promise<number | undefined>(resolve => {
    socket.once('data', (chunk: Buffer) => resolve(Number(chunk.toString('latin1', 9, 12))))
    socket.once('close', () => resolve(undefined))
  })
  socket.write(head)
  let megabytes = 0
  for (let i = 0; i < pieces && socket.writable && !time.isOver(); i++) {
    megabytes += piece.length / 1e6
    if (!socket.write(piece)) await drained(socket, time.left())
  }
  return { socket, status, megabytes }
}

const drained = (socket: Socket, ms: number): Promise<void> =>
  new Promise(resolve => {
    const finish = (): void => {
      clearTimeout(late)
      socket.off('drain', finish).off('close', finish)
      resolve()
    }
    const late = setTimeout(finish, ms)
    socket.on('drain', finish).on('close', finish)
  })
