import { expect } from 'chai'
import { describeMongo } from '../../support/mongo/database.js'
import type { Fault } from '../../support/mongo/tcp-proxy.js'
import type { Asked } from './client.js'
import type { Audit } from './ledger.js'
import { type Operation, operations, type Ride, rideOut } from './ride.js'

const promisedMs = 2500
const writes: readonly string[] = ['create', 'put', 'patch', 'delete'] satisfies Operation[]

const isUnavailable = ({ outcome }: Asked): boolean => outcome === 'unapplied' || outcome === 'unknown'

/** A list that was cut off midway had its answer begun before; what counts is how long it hung in the fault. */
const waitIn =
  ({ faultFrom }: Ride) =>
  ({ outcome, startedAt, ms }: Asked): number =>
    outcome === 'cut' ? startedAt + ms - Math.max(startedAt, faultFrom) : ms

const slowestOf = (ride: Ride): number => Math.max(...ride.asked.map(waitIn(ride)))

const faults: Readonly<Record<Fault, string>> = {
  cut: 'cuts its connections',
  reset: 'resets its connections',
  'black hole': 'is in a black hole',
  'lost replies': 'sends replies that never arrive',
  slow: 'is slow',
}

const printTable = (rides: ReadonlyMap<Fault, Ride>): void => {
  const print = (cells: readonly (string | number)[]) =>
    console.log(cells.map(cell => String(cell).padStart(14)).join(''))
  print(['fault', 'requests', 'unavailable', 'slowest ms', 'lost writes', 'duplicate ids', 'recovery ms'])
  for (const [fault, ride] of rides) {
    const { asked, audit, recoveryMs } = ride
    const slowest = Math.round(slowestOf(ride))
    const unavailable = asked.filter(isUnavailable).length
    print([
      fault,
      asked.length,
      unavailable,
      slowest,
      audit.lost.length,
      audit.duplicateIds.length,
      Math.round(recoveryMs),
    ])
  }
}

describeMongo('the service, while its database', engine => {
  const rides = new Map<Fault, Ride>()

  before(async function () {
    this.timeout(120_000)
    const left = Object.keys(faults) as Fault[]
    const rideTheRest = async (): Promise<void> => {
      for (let fault = left.shift(); fault !== undefined; fault = left.shift())
        rides.set(fault, await rideOut(fault, engine))
    }
    // no more at a time than leave each service time to keep its promise
    await Promise.all([rideTheRest(), rideTheRest()])
  })

  after(() => printTable(rides))

  for (const fault of Object.keys(faults) as Fault[]) {
    describe(faults[fault], () => {
      let ride: Ride
      before(() => {
        const found = rides.get(fault)
        if (found === undefined) throw new Error('it was not ridden out')
        ride = found
      })

      it('answers every request within the promised time', () => {
        expect(slowestOf(ride)).to.be.below(promisedMs)
      })

      for (const operation of operations)
        it(`answers ${operation} with 503 meanwhile, and serves it again without a restart`, () => {
          const { asked, faultFrom, faultTo } = ride
          const isWithin = (time: number) => time > faultFrom && time < faultTo
          const all = asked.filter(one => one.operation === operation)
          const answered = all.filter(({ startedAt, ms }) => isWithin(startedAt + ms))
          expect(answered.some(isUnavailable)).to.equal(true)
          const begunToo = answered.filter(({ startedAt }) => isWithin(startedAt))
          expect(begunToo.filter(one => !isUnavailable(one))).to.deep.equal([])
          expect(all.some(({ outcome, startedAt }) => outcome === 'done' && startedAt > faultTo)).to.equal(true)
        })

      it('calls the outcome of writes unknown, and of nothing else', () => {
        const unknown = ride.asked.filter(({ outcome }) => outcome === 'unknown')
        expect(unknown).to.not.deep.equal([])
        expect(unknown.filter(({ operation }) => !writes.includes(operation))).to.deep.equal([])
      })

      it('cuts a list off midway, and leaves no other answer out', () => {
        const cut = ride.asked.filter(({ outcome }) => outcome === 'cut')
        expect(new Set(cut.map(({ operation }) => operation))).to.deep.equal(new Set(['list']))
      })

      it('shows what it acknowledged, and no list that only looks whole', () => {
        expect(ride.misread).to.deep.equal([])
      })

      it('loses no acknowledged write, hands out no id twice, and writes nothing that it says it did not', () => {
        expect(ride.audit).to.deep.equal({ lost: [], duplicateIds: [], unasked: [] } satisfies Audit)
      })

      it('logs warnings and the list that broke off, goes on, and ends when it is told to', () => {
        const grave = new Set(ride.logged.filter(({ level }) => level > 40).map(({ msg }) => msg))
        expect(grave).to.deep.equal(new Set(['a list broke off midway']))
        expect(ride.ended).to.include({ code: 0, signal: null })
      })
    })
  }
})
