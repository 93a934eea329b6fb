import { setImmediate as nextTurn } from 'node:timers/promises'
import { readiness } from '@snippets/apps/readiness.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { right as answering, left as failing } from 'fp-ts/lib/TaskEither.js'

const prepared = Promise.resolve()
const check = answering(undefined)

describe('Readiness', () => {
  it('needs a service that serves and a storage that answers and is prepared', async () => {
    const ready = readiness(Promise.resolve({ check, prepared }), () => 'serving')
    await nextTurn()
    expect(await ready()).to.deep.equal(right(undefined))
  })

  for (const state of ['starting', 'stopping'] as const)
    it(`is denied while the service is ${state}`, async () => {
      const ready = readiness(Promise.resolve({ check, prepared }), () => state)
      expect(await ready()).to.deep.equal(left(`The service is ${state}.`))
    })

  it('is denied while the storage is being opened, without waiting for it', async () => {
    const ready = readiness(new Promise(() => {}), () => 'starting')
    expect(await ready()).to.deep.equal(left('The service is starting.'))
  })

  it('is denied while the storage does not answer', async () => {
    const ready = readiness(Promise.resolve({ check: failing('down'), prepared }), () => 'serving')
    expect(await ready()).to.deep.equal(left('The storage does not answer.'))
  })

  it('is denied until the storage is prepared', async () => {
    let isPrepared = (): void => {}
    const preparing = new Promise<void>(resolve => {
      isPrepared = resolve
    })
    const ready = readiness(Promise.resolve({ check, prepared: preparing }), () => 'serving')
    expect(await ready()).to.deep.equal(left('The storage is being prepared.'))
    isPrepared()
    await nextTurn()
    expect(await ready()).to.deep.equal(right(undefined))
  })
})
