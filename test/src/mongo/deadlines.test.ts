import { setTimeout as pause } from 'node:timers/promises'
import { Deadlines } from '@snippets/adapters-mongo/connection/deadlines.js'
import { expect } from 'chai'
import { virtualTime } from '../support/virtual-time.js'

describe('Deadlines', () => {
  it('are told one after the other, also when nothing else begins', async () => {
    const time = virtualTime()
    const deadlines = new Deadlines()
    const told: string[] = []
    for (const name of ['first', 'second', 'third']) {
      deadlines.add(100, () => told.push(name))
      await time.pass(30)
    }
    await time.pass(100)
    time.end()
    expect(told).to.deep.equal(['first', 'second', 'third'])
  })
})

describe('Deadlines that are missed together', () => {
  it('end fifty at a time, with a turn of the event loop in between', async () => {
    const deadlines = new Deadlines()
    let ended = 0
    for (let i = 0; i < 120; i++) deadlines.add(1, () => ended++)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    const seen = new Set<number>()
    for (let i = 0; i < 1000 && ended < 120; i++) {
      await pause(0)
      seen.add(ended)
    }
    expect([...seen].filter(count => count > 0)).to.deep.equal([50, 100, 120])
  })
})
