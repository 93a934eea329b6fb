import { setTimeout as pause } from 'node:timers/promises'
import { outageLog, storageClosed } from '@snippets/adapters-mongo/connection/outage-log.js'
import { expect } from 'chai'

describe('An outage of MongoDB', () => {
  it('is over when nothing has failed for a while after something worked, and is told of once', async () => {
    const ended: object[] = []
    const { failed, worked } = outageLog({ info: fields => void ended.push(fields), warn: () => {} })
    failed(new Error('gone'))
    worked()
    failed(new Error('gone again'))
    await pause(1200)
    expect(ended).to.deep.equal([])
    worked()
    while (ended.length === 0) await pause(20)
    expect(ended).to.have.length(1)
    expect(ended[0]).to.include({ failures: 2 })
  })

  it('does not begin when the storage is closed', () => {
    const warned: string[] = []
    const { failed } = outageLog({ info: () => {}, warn: (_, message) => void warned.push(message) })
    failed(storageClosed)
    expect(warned).to.deep.equal([])
  })
})
