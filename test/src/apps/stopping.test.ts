import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { createLifetime, type Lifetime } from '@snippets/apps/lifetime.js'
import { readiness } from '@snippets/apps/readiness.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { right as answering, left as failing } from 'fp-ts/lib/TaskEither.js'

describe('The lifetime of a service', () => {
  const closed: string[] = []
  const opened = (lifetime: Lifetime): Lifetime => {
    closed.length = 0
    for (const what of ['first', 'second']) lifetime.opened(async () => void closed.push(what))
    return lifetime
  }

  it('closes everything once, the newest first, when the drain delay is over', async () => {
    const lifetime = opened(createLifetime({ drainDelayMs: 30, graceMs: 1000 }))
    lifetime.serving()
    const begun = performance.now()
    const stopped = Promise.all([lifetime.stop(), lifetime.stop()])
    expect([lifetime.state(), closed]).to.deep.equal(['stopping', []])
    await stopped
    expect(closed).to.deep.equal(['second', 'first'])
    // a timer may fire a millisecond early
    expect(performance.now() - begun).to.be.at.least(29)
  })

  it('ends without the drain delay when the service has not served yet', async () => {
    const lifetime = opened(createLifetime({ drainDelayMs: 600_000, graceMs: 1000 }))
    await lifetime.stop()
    expect(closed).to.deep.equal(['second', 'first'])
  })

  it('shares the grace period among all that it closes', async () => {
    const graces: number[] = []
    const lifetime = createLifetime({ drainDelayMs: 0, graceMs: 10 })
    lifetime.opened(async graceMs => void graces.push(graceMs))
    lifetime.opened(async graceMs => {
      graces.push(graceMs)
      await pause(20)
    })
    await lifetime.stop()
    expect(graces[0]).to.be.within(1, 10)
    expect(graces[1]).to.equal(0)
  })
})

describe('Readiness', () => {
  const prepared = Promise.resolve()
  const check = answering(undefined)

  for (const state of ['starting', 'stopping'] as const)
    it(`is denied while the service is ${state}, without waiting for the storage`, async () => {
      const ready = readiness(new Promise(() => {}), () => state)
      expect(await ready()).to.deep.equal(left(`The service is ${state}.`))
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
