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
