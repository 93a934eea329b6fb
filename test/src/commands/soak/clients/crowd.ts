import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { get } from './requests.js'
import { deadline } from './timing.js'

export type CrowdInput = Readonly<{ port: number; ms: number; connections: number }>

export type CrowdOutput = Readonly<{ closedByService: number }>

type Member = { socket: Socket; position: number; readonly kind: number }

/** What each kind sends, one byte at a time. The first kind sends nothing. */
const texts = [
  '',
  `GET /api/snippets/ HTTP/1.1\r\nHost: a\r\nX-Slow: ${'x'.repeat(5000)}`,
  `POST /api/snippets/ HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n${' '.repeat(5000)}`,
]
const slowBody = 2
/** The last kind asks for pages, one after the other, and reads them slowly. */
const slowReader = texts.length

/** Many connections that are silent, drip or read slowly. One that the service closes is replaced. */
export const crowd = async ({ port, ms, connections }: CrowdInput, onBegun: () => void): Promise<CrowdOutput> => {
  const time = deadline(ms)
  const members: Member[] = []
  for (let i = 0; i < connections; i++) {
    members.push(open(port, i % (slowReader + 1)))
    if (i % 50 === 0) await wait(5)
  }
  onBegun()
  let closedByService = 0
  for (let turn = 0; !time.isOver(); turn++) {
    // a twentieth of them each time, so that they do not all send at once
    for (const [i, member] of members.entries()) {
      if (i % 20 !== turn % 20) continue
      if (member.socket.destroyed) {
        closedByService++
        members[i] = open(port, member.kind)
      } else drip(member)
    }
    await wait(25)
  }
  for (const { socket } of members) socket.destroy()
  return { closedByService }
}

const open = (port: number, kind: number): Member => {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {}).on('data', () => kind === slowReader && socket.pause())
  if (kind === slowReader) socket.write(get('/api/snippets-viewset/?page_size=100').repeat(20))
  if (kind !== slowBody) return { socket, position: 0, kind }
  // the head at once, so that it is the body that is slow
  const text = texts[slowBody] ?? ''
  const position = text.indexOf('\r\n\r\n') + 4
  socket.write(text.slice(0, position))
  return { socket, position, kind }
}

const drip = (member: Member): void => {
  const { socket, kind } = member
  if (kind === slowReader) return void socket.resume()
  const byte = texts[kind]?.[member.position++]
  if (byte !== undefined && socket.writable) socket.write(byte)
}
