import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import type { AttackCase, Leaving } from './attack-case.js'

/** The longest stay of a client after its last byte. */
const stayMs = 40
/** The longest wait for a response. A busy machine needs it. */
const responseTimeoutMs = 250

let opened = 0

/** Begins a connection and ignores its errors. One address has too few ports for so many connections. */
export const connectTo = (port: number): Socket => {
  // Linux routes all of 127.0.0.0/8 to loopback
  const own = process.platform === 'linux' && { localAddress: `127.0.1.${1 + (opened++ % 250)}` }
  return connect({ port, host: '127.0.0.1', noDelay: true, ...own }).on('error', () => {})
}

/** Carries out one attack on a port of loopback. Returns the statuses at the start of packets. Never rejects. */
export const runAttack = async (port: number, attack: AttackCase): Promise<readonly number[]> => {
  const statuses: number[] = []
  const socket = connectTo(port)
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
  socket.on('data', (chunk: Buffer) => {
    const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1', 0, 12)) ?? []
    if (status !== undefined) statuses.push(Number(status))
  })
  if (!attack.reads) socket.pause()
  await Promise.race([once(socket, 'connect').catch(() => {}), closed])
  await send(socket, attack)
  await Promise.race([leave(socket, attack.leaving), closed])
  socket.destroy()
  await closed
  return statuses
}

const send = async (socket: Socket, { pieces, gapMs }: AttackCase): Promise<void> => {
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await (gapMs === 0 ? turn() : wait(gapMs))
    if (!socket.writable) return
    socket.write(piece)
  }
}

const leave = async (socket: Socket, { how, when }: Leaving): Promise<void> => {
  if (when === 'after a turn') await turn()
  if (when === 'after a pause') await wait(3)
  if (when === 'at the first response')
    await Promise.race([new Promise(resolve => socket.once('data', resolve)), wait(responseTimeoutMs)])
  if (how === 'reset') return void socket.resetAndDestroy()
  if (how === 'close') return void socket.destroy()
  if (how === 'half-close') socket.end()
  await wait(stayMs)
}
