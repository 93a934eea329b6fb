import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { get } from '../../support/http/wire.js'
import { measureWait } from './measure-wait.js'
import { fill, heaviestCode, manyFields, openAll, page, posting } from './raw-requests.js'
import { type Finding, onService, smallHeap } from './scenario.js'

/** Opens the connections, sends on each in turn, and closes them after a pause. */
const crowd = async (port: number, count: number, join: (socket: Socket) => void): Promise<void> => {
  const sockets = await openAll(port, count)
  for (const [i, socket] of sockets.entries()) {
    join(socket)
    // sending everything at once would measure the speed of this process
    if (i % 4 === 0) await pause(10)
  }
  await pause(3000)
  for (const socket of sockets) socket.destroy()
}

const head = `GET /api/users/ HTTP/1.1\r\nHost: localhost\r\n${manyFields(195)}\r\n\r\n`
const tooManyFields = `GET /api/users/ HTTP/1.1\r\nHost: localhost\r\n${'a:\r\n'.repeat(2700)}\r\n`

export const heads = onService(
  'heads',
  async service => {
    await fill(service.port, 100, heaviestCode)
    const findings: Finding[] = []
    for (const [what, heavy] of [
      ['195 long fields', head],
      ['2,700 fields', tooManyFields],
    ] as const)
      findings.push(
        ...(await measureWait(service, `200 clients queue 32 requests with ${what}`, () =>
          // an unread response blocks the queue
          crowd(service.port, 200, socket => socket.pause().write(get(page(100)).repeat(2) + heavy.repeat(30))),
        )),
      )
    return findings
  },
  smallHeap,
)

export const bodies = onService(
  'bodies',
  async service =>
    measureWait(service, '1,000 clients send 250 KB of a body that never ends', () =>
      crowd(service.port, 1000, socket =>
        socket.write(`${posting('Content-Length: 262144')}{"title":"\u00e9${'x'.repeat(250_000)}`),
      ),
    ),
  smallHeap,
)

export const unread = onService(
  'unread',
  async service => {
    await fill(service.port, 100, '\u4e16'.repeat(10_000))
    return measureWait(service, '2,000 clients never read a page of 3 MB', () =>
      crowd(service.port, 2000, socket => socket.pause().write(get(page(100)))),
    )
  },
  smallHeap,
)
