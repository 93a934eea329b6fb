import { Attempt } from '@snippets/adapters-mongo/connection/attempt.js'
import { Turns } from '@snippets/adapters-mongo/connection/turns.js'
import { expect } from 'chai'
import { virtualTime } from '../support/virtual-time.js'

describe('Turns where there is one connection', () => {
  it('are given one at a time, also after one has timed out', async () => {
    const time = virtualTime()
    const turns = new Turns(1)
    const begun: Attempt[] = []
    for (let i = 0; i < 3; i++) {
      const attempt = new Attempt()
      void turns.give(attempt, () => new Promise(() => begun.push(attempt)))
    }
    await time.pass(600)
    begun[0]?.end()
    await time.pass(1)
    time.end()
    expect(begun).to.have.length(2)
  })
})
