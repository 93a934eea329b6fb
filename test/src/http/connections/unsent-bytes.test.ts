import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { mock } from 'node:test'
import { UnsentBytes } from '@snippets/adapters-http/server/unsent-bytes.js'
import { expect } from 'chai'

const bytes = 100 * 1024

/** The little of a response that is looked at. Its client has read nothing yet. */
const response = () => {
  const socket = {
    bytesWritten: bytes,
    writableLength: bytes,
    isCut: false,
    destroy: () => {
      socket.isCut = true
    },
  }
  const res = Object.assign(new EventEmitter(), { writableLength: bytes, socket })
  return { res: res as unknown as ServerResponse, socket }
}

describe('Of large answers that their clients do not read, the server', () => {
  let now: number
  let look = (): void => {}
  beforeEach(() => {
    now = 0
    mock.method(performance, 'now', () => now)
    mock.method(globalThis, 'setInterval', (callback: () => void) => {
      look = callback
      return setTimeout(() => {}, 0)
    })
  })
  afterEach(() => mock.reset())

  /** A second at a time, as the server looks. */
  const pass = (seconds: number, eachSecond = (): void => {}): void => {
    for (let i = 0; i < seconds; i++) {
      now += 1000
      eachSecond()
      look()
    }
  }
  const held = (limit: number) => {
    const unsent = new UnsentBytes(limit)
    const answer = response()
    unsent.add(answer.res)
    return { unsent, ...answer }
  }

  it('cuts off those that have not moved for two seconds, past the limit', () => {
    const { socket } = held(bytes - 1)
    pass(2)
    expect(socket.isCut).to.equal(false)
    pass(1)
    expect(socket.isCut).to.equal(true)
  })

  it('cuts off those that have not moved for 12 seconds, past a sixteenth of the limit', () => {
    const { socket } = held(16 * bytes - 1)
    pass(12)
    expect(socket.isCut).to.equal(false)
    pass(1)
    expect(socket.isCut).to.equal(true)
  })

  it('cuts off none within a sixteenth of the limit', () => {
    const { socket } = held(16 * bytes)
    pass(60)
    expect(socket.isCut).to.equal(false)
  })

  it('cuts off none that is being read, however slowly', () => {
    const { socket } = held(bytes - 1)
    pass(60, () => {
      if (now % 2000 === 0) socket.writableLength--
    })
    expect(socket.isCut).to.equal(false)
  })

  it('goes on cutting off until little is held', () => {
    const unsent = new UnsentBytes(40 * bytes)
    const others = Array.from({ length: 10 }, response)
    for (const { res } of others) unsent.add(res)
    const last = response()
    unsent.add(last.res)
    pass(1)
    for (const { res } of others) res.emit('close')
    expect(unsent.total).to.equal(bytes)
    pass(13)
    expect(last.socket.isCut).to.equal(true)
  })

  it('forgets that much was held once all are closed', () => {
    const unsent = new UnsentBytes(40 * bytes)
    const others = Array.from({ length: 10 }, response)
    for (const { res } of others) unsent.add(res)
    pass(1)
    for (const { res } of others) res.emit('close')
    const { res, socket } = response()
    unsent.add(res)
    pass(60)
    expect(socket.isCut).to.equal(false)
  })

  it('cuts off none that waits for the storage', () => {
    const { res, socket } = held(bytes - 1)
    Object.assign(res, { writableLength: 0 })
    socket.writableLength = 0
    pass(60)
    expect(socket.isCut).to.equal(false)
  })

  it('counts what is kept for an answer beside what is written', () => {
    const unsent = new UnsentBytes(10 * bytes)
    const { res } = response()
    unsent.keep(res, 3 * bytes)
    unsent.add(res)
    expect(unsent.total).to.equal(4 * bytes)
    Object.assign(res, { writableLength: 0 })
    unsent.add(res)
    expect(unsent.total).to.equal(3 * bytes)
    res.emit('close')
    expect(unsent.total).to.equal(0)
  })

  it('no longer counts those that are closed', () => {
    const { unsent, res } = held(bytes - 1)
    expect([unsent.total, unsent.isPastLimit]).to.deep.equal([bytes, true])
    res.emit('close')
    expect([unsent.total, unsent.isPastLimit]).to.deep.equal([0, false])
  })
})
