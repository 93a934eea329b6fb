import type { Socket } from 'node:net'
import { defaultLimits } from '@snippets/adapters-http/server/limits.js'
import { limitUnsentBytes, slowReaderCheck } from '@snippets/adapters-http/server/unsent-bytes.js'
import { expect } from 'chai'
import { eventually } from '../../support/eventually.js'

const minBytes = 60_000

/** Checks a connection once per second for five minutes. */
const isFoundSlow = (unsentAt: (second: number) => number, bytesPerSecond: number): boolean => {
  const isSlow = slowReaderCheck(minBytes)
  const socket = { bytesWritten: 0, writableLength: 0 }
  return Array.from({ length: 300 }, (_, second) => {
    socket.writableLength = unsentAt(second)
    socket.bytesWritten = second * bytesPerSecond + socket.writableLength
    return isSlow(socket)
  }).includes(true)
}

describe('A client with unsent bytes', () => {
  it('is slow if it reads less than the minimum', () => {
    expect(isFoundSlow(() => 10_000, 900)).to.equal(true)
  })

  it('is not slow if it reads the minimum', () => {
    expect(isFoundSlow(() => 10_000, 1000)).to.equal(false)
  })

  it('is not slow if it requests little, and reads it before the next request', () => {
    const onceInAMinute = (second: number): number => (second % 60 === 0 ? 10_000 : 0)
    expect(isFoundSlow(onceInAMinute, 500)).to.equal(false)
  })

  it('is disconnected if it reads nothing for twice the time of a stall', async () => {
    const socket = { bytesWritten: 10_000, writableLength: 10_000 } as Socket
    const disconnected: Socket[] = []
    const stop = limitUnsentBytes(new Set([socket]), { ...defaultLimits, stallMs: 50 }, found =>
      disconnected.push(found),
    )
    await eventually(() => disconnected.includes(socket))
    stop()
  })
})
