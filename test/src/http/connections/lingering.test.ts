import { Socket } from 'node:net'
import { mock } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { lingerAndClose } from '@snippets/adapters-http/server/linger.js'
import { readingTurns } from '@snippets/adapters-http/server/reading-turns.js'
import { expect } from 'chai'

describe('Closing a connection in stages', () => {
  const timers = new Set<unknown>()
  let socket: Socket
  let look = (): void => {}
  beforeEach(() => {
    timers.clear()
    socket = new Socket()
    mock.method(globalThis, 'setInterval', (callback: () => void) => {
      look = callback
      const timer = {}
      timers.add(timer)
      return Object.assign(timer, { unref: () => timer })
    })
    mock.method(globalThis, 'clearInterval', (timer: unknown) => timers.delete(timer))
  })
  afterEach(() => {
    mock.reset()
    socket.destroy()
  })

  const closed = () => new Promise(resolve => socket.once('close', resolve).destroy())

  it('stops its timer when the socket has closed', async () => {
    lingerAndClose(socket, false)
    expect(timers.size).to.equal(1)
    await closed()
    expect(timers.size).to.equal(0)
  })

  it('starts no timer for a socket that has closed already', async () => {
    await closed()
    lingerAndClose(socket, false)
    expect(timers.size).to.equal(0)
  })

  it('does not take a client for silent while its socket waits to be read', async () => {
    lingerAndClose(socket, false)
    mock.reset()
    readingTurns.wait(socket)
    look()
    expect(socket.destroyed).to.equal(false)
    while (readingTurns.isWaiting(socket)) await wait(5)
    look()
    expect(socket.destroyed).to.equal(true)
  })

  it('reads the rest of a body in its turn, and what else comes at once', () => {
    mock.reset()
    lingerAndClose(socket, false)
    expect(readingTurns.isWaiting(socket)).to.equal(false)
    const sending = new Socket()
    lingerAndClose(sending, true)
    expect(readingTurns.isWaiting(sending)).to.equal(true)
    sending.destroy()
  })
})
