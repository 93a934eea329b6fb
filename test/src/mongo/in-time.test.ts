import { Deadlines } from '@snippets/adapters-mongo/connection/deadlines.js'
import { inTimeAfter } from '@snippets/adapters-mongo/connection/in-time.js'
import { Turns, wouldRefuse } from '@snippets/adapters-mongo/connection/turns.js'
import { expect } from 'chai'
import { type Either, right } from 'fp-ts/lib/Either.js'
import { virtualTime } from '../support/virtual-time.js'

/** No timer runs meanwhile. */
const block = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

const settled = () => new Promise(setImmediate)

describe('Operations whose time is up', () => {
  it('are answered when another begins, even if no timer runs', async () => {
    const inTime = inTimeAfter(async () => {})
    let answered: unknown
    void inTime(() => new Promise<Either<never, never>>(() => {}))().then(answer => {
      answered = answer
    })
    await settled()
    block(1900)
    // no turn of the event loop from here on
    await inTime(async () => right(1))()
    expect(answered).to.have.nested.property('left.outcome', 'unapplied')
  })

  it('are answered when another would be refused, even if no timer runs', async () => {
    const deadlines = new Deadlines()
    const inTime = inTimeAfter(async () => {}, undefined, deadlines)
    const hang = inTime(() => new Promise<Either<never, never>>(() => {}))
    for (let i = 0; i < 2000; i++) void hang()
    await settled()
    block(1900)
    for (let i = 0; i < 40; i++) {
      wouldRefuse(deadlines, new Turns(1))
      expect(deadlines.size).to.equal(2000 - 50 * (i + 1))
      block(11)
    }
  })

  it('are answered fifty at a time while others are refused', async () => {
    const time = virtualTime()
    const deadlines = new Deadlines()
    for (let i = 0; i < 120; i++) deadlines.add(1, () => {})
    await time.pass(1)
    for (let i = 0; i < 3; i++) wouldRefuse(deadlines, new Turns(1))
    time.end()
    expect(deadlines.size).to.equal(70)
  })
})

describe('Operations past the bound', () => {
  it('are refused at once, and served again when others have ended', async () => {
    const deadlines = new Deadlines()
    const inTime = inTimeAfter(async () => {}, undefined, deadlines)
    const ends: (() => void)[] = []
    const waiting = Array.from(
      { length: 2000 },
      inTime(() => new Promise<Either<never, number>>(end => ends.push(() => end(right(1))))),
    )
    expect(wouldRefuse(deadlines, new Turns(1))).to.equal(true)
    const refused = await inTime(async () => right(2))()
    expect(refused).to.have.nested.property('left.outcome', 'unapplied')
    expect(refused)
      .to.have.nested.property('left.cause.message')
      .that.matches(/^not sent: too many operations/)
    for (const end of ends) end()
    await Promise.all(waiting)
    expect(wouldRefuse(deadlines, new Turns(1))).to.equal(false)
    expect(await inTime(async () => right(3))()).to.deep.equal(right(3))
  })
})

describe('Operations while many others are under way', () => {
  it('get less time, as their requests may have waited before', async () => {
    const inTime = inTimeAfter(async () => {})
    const begin = () => {
      let msLeft = 0
      void inTime(attempt => {
        msLeft = attempt.msLeft
        return new Promise<Either<never, never>>(() => {})
      })()
      return () => msLeft
    }
    const all = Array.from({ length: 501 }, begin)
    await settled()
    expect(all[0]?.()).to.be.within(1400, 1800)
    expect(all[500]?.()).to.be.within(0, 1300)
  })
})
