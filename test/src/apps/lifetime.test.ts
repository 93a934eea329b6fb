import { createLifetime, type Lifetime } from '@snippets/apps/lifetime.js'
import { expect } from 'chai'

describe('The lifetime of a service', () => {
  const closed: string[] = []
  const opened = (lifetime: Lifetime): Lifetime => {
    closed.length = 0
    for (const what of ['first', 'second']) lifetime.opened(async () => void closed.push(what))
    return lifetime
  }

  it('closes everything once the drain delay is over, the newest first', async () => {
    const lifetime = opened(createLifetime({ drainDelayMs: 100, graceMs: 1000 }))
    lifetime.serving()
    const begun = performance.now()
    const stopped = lifetime.stop()
    expect([lifetime.state(), closed]).to.deep.equal(['stopping', []])
    await stopped
    expect(closed).to.deep.equal(['second', 'first'])
    // a timer may fire a millisecond early
    expect(performance.now() - begun).to.be.at.least(99)
  })

  it('ends without the drain delay when the service has not served yet', async () => {
    const lifetime = opened(createLifetime({ drainDelayMs: 600_000, graceMs: 1000 }))
    await lifetime.stop()
    expect(closed).to.deep.equal(['second', 'first'])
  })

  it('closes everything once, however often it is told to stop', async () => {
    const lifetime = opened(createLifetime({ drainDelayMs: 0, graceMs: 1000 }))
    lifetime.serving()
    await Promise.all([lifetime.stop(), lifetime.stop()])
    expect(closed).to.deep.equal(['second', 'first'])
  })
})
