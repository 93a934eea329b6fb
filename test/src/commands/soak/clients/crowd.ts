import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { get } from './requests.js'
import { deadline } from './timing.js'

export type CrowdInput = Readonly<{ port: number; ms: number; connections: number }>

export type CrowdOutput = Readonly<{ opened: number; closedByService: number }>

type Member = { socket: Socket; position: number; readonly kind: number }

/** What each kind sends, one byte at a time. The first kind sends nothing. */
const texts = [
  '',
  `GET /api/snippets/ HTTP/1.1\r\nHost: a\r\nX-Slow: ${'x'.repeat(5000)}`,
  `POST /api/snippets/ HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n${' '.repeat(5000)}`,
]
/** The last kind asks for pages, one after the other, and reads them slowly. */
const slowReader = texts.length

/** Many connections that are silent, drip or read slowly. One that the service closes is replaced. */
export const crowd = async ({ port, ms, connections }: CrowdInput, onBegun: () => void): Promise<CrowdOutput> => {
  const time = deadline(ms)
  const counts = { opened: 0, closedByService: 0 }
  const open = (kind: number): Member => {
    counts.opened++
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('error', () => {}).on('data', () => kind === slowReader && socket.pause())
    if (kind === slowReader) socket.write(get('/api/snippets-viewset/?page_size=100').repeat(20))
    // the head at once, so that it is the body that is slow
    const position = kind === 2 ? (texts[2] ?? '').indexOf('\r\n\r\n') + 4 : 0
    if (kind === 2) socket.write((texts[2] ?? '').slice(0, position))
    return { socket, position, kind }
  }
  const members: Member[] = []
  for (let i = 0; i < connections; i++) {
    members.push(open(i % (slowReader + 1)))
    if (i % 50 === 0) await wait(5)
  }
  onBegun()
  const slices = 20
  for (let turn = 0; !time.isOver(); turn++) {
    for (let i = turn % slices; i < members.length; i += slices) {
      const member = members[i]
      if (member === undefined) continue
      if (member.socket.destroyed) {
        counts.closedByService++
        members[i] = open(member.kind)
      } else drip(member)
    }
    await wait(25)
  }
  for (const { socket } of members) socket.destroy()
  return counts
}

const drip = (member: Member): void => {
  const { socket, kind } = member
  if (kind === slowReader) return void socket.resume()
  const byte = texts[kind]?.[member.position++]
  if (byte !== undefined && socket.writable) socket.write(byte)
}
