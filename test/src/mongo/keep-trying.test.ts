import { keepTrying } from '@snippets/adapters-mongo/connection/keep-trying.js'
import { expect } from 'chai'
import { virtualTime } from '../support/virtual-time.js'

describe('Work that is tried again until it succeeds', () => {
  it('is given up without a word when it is stopped while it is under way', async () => {
    const time = virtualTime()
    const told: string[] = []
    const log = { info: () => {}, warn: (_: object, message: string) => void told.push(message) }
    let tries = 0
    let fail = (_: Error): void => {}
    const { stop } = keepTrying(log, () => {
      tries++
      return new Promise((_, reject) => (fail = reject))
    })
    stop()
    fail(new Error('closed'))
    await time.pass(1000)
    time.end()
    expect(told).to.deep.equal([])
    expect(tries).to.equal(1)
  })
})
