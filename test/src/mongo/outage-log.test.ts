import { setTimeout as pause } from 'node:timers/promises'
import { storageClosed } from '@snippets/adapters-mongo/connection/operation.js'
import { noteResult, outageLog } from '@snippets/adapters-mongo/connection/outage-log.js'
import { unavailable } from '@snippets/domain/errors.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'

describe('What an operation on MongoDB tells the outage log', () => {
  const noted = (result: Parameters<ReturnType<typeof noteResult>>[0]): readonly string[] => {
    const calls: string[] = []
    noteResult({ failed: () => calls.push('failed'), worked: () => calls.push('worked') })(result)
    return calls
  }

  it('is that it failed when the database was not there', () => {
    expect(noted(left(unavailable('unapplied', new Error('gone'))))).to.deep.equal(['failed'])
  })

  it('is that it worked when the database had an answer', () => {
    expect(noted(right('a'))).to.deep.equal(['worked'])
    expect(noted(left({ _tag: 'NotFound' }))).to.deep.equal(['worked'])
  })
})

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
