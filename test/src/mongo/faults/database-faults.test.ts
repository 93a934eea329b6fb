import { expect } from 'chai'
import type { RequestRecord } from '../../support/faults/client.js'
import type { Audit } from '../../support/faults/ledger.js'
import { describeMongo } from '../../support/mongo/database.js'
import { type FaultRun, type Operation, operations, runThrough, type Trouble } from './fault-run.js'

const promisedMs = 2500
const writes: readonly string[] = ['create', 'put', 'patch', 'delete'] satisfies Operation[]

const isUnavailable = ({ outcome }: RequestRecord): boolean => outcome === 'unapplied' || outcome === 'unknown'

/** The answer to a list that is cut off began before the fault; what counts is how long it hung after that. */
const waitIn =
  ({ faultStart }: FaultRun) =>
  ({ outcome, startedAt, ms }: RequestRecord): number =>
    outcome === 'cut' ? startedAt + ms - Math.max(startedAt, faultStart) : ms

const slowestOf = (run: FaultRun): number => Math.max(...run.requests.map(waitIn(run)))

const troubles: Readonly<Record<Trouble, string>> = {
  cut: 'closes its connections',
  reset: 'resets its connections',
  'black hole': 'receives and sends nothing',
  'lost replies': 'sends replies that never arrive',
  slow: 'is slow',
  election: 'elects another primary',
}

describeMongo('The service, while its database', engine => {
  const runs = new Map<Trouble, FaultRun>()

  before(async function () {
    this.timeout(120_000)
    const left = Object.keys(troubles) as Trouble[]
    const runTheRest = async (): Promise<void> => {
      for (let trouble = left.shift(); trouble !== undefined; trouble = left.shift())
        runs.set(trouble, await runThrough(trouble, engine))
    }
    // two at a time, so that each service has enough of the processor to answer in time
    await Promise.all([runTheRest(), runTheRest()])
  })

  after(() => {
    for (const [trouble, run] of runs) {
      const [slowest, recovery] = [slowestOf(run), run.recoveryMs].map(Math.round)
      const counts = `${run.requests.length} requests, ${run.requests.filter(isUnavailable).length} unavailable`
      console.log(`${' '.repeat(4)}${trouble}: ${counts}, slowest ${slowest} ms, recovery ${recovery} ms`)
    }
  })

  for (const trouble of Object.keys(troubles) as Trouble[]) {
    describe(troubles[trouble], () => {
      let run: FaultRun
      before(() => {
        const found = runs.get(trouble)
        if (found === undefined) throw new Error('the run failed')
        run = found
      })
      const withOutcome = (outcome: RequestRecord['outcome']): readonly string[] => [
        ...new Set(run.requests.filter(one => one.outcome === outcome).map(({ operation }) => operation)),
      ]

      it('answers every request within the promised time', () => {
        expect(slowestOf(run)).to.be.below(promisedMs)
      })

      it('answers what begins during the fault with 503, and serves every operation again after it without a restart', () => {
        const { requests, faultStart, faultEnd } = run
        const isWithin = (time: number) => time > faultStart && time < faultEnd
        for (const operation of operations) {
          const all = requests.filter(one => one.operation === operation)
          const answered = all.filter(({ startedAt, ms }) => isWithin(startedAt + ms))
          expect(
            answered.some(one => isUnavailable(one) || one.outcome === 'cut'),
            operation,
          ).to.equal(true)
          const begunToo = answered.filter(({ startedAt }) => isWithin(startedAt))
          expect(begunToo.filter(one => !isUnavailable(one))).to.deep.equal([])
          expect(all.some(({ outcome, startedAt }) => outcome === 'done' && startedAt > faultEnd)).to.equal(true)
        }
      })

      it('reports an unknown outcome for nothing but writes, and cuts off nothing but lists', () => {
        expect(writes).to.include.members([...withOutcome('unknown')])
        expect(['list']).to.include.members([...withOutcome('cut')])
      })

      // an election takes nothing back that was under way
      if (trouble !== 'election')
        it('reports an unknown outcome for some writes, and cuts off a list that is midway', () => {
          expect(withOutcome('unknown')).to.not.deep.equal([])
          expect(withOutcome('cut')).to.deep.equal(['list'])
        })

      it('shows what it has acknowledged, and completes no list that misses snippets', () => {
        expect(run.wrongReads).to.deep.equal([])
      })

      it('loses no acknowledged write, assigns no id twice, and applies nothing that it reports as unapplied', () => {
        expect(run.audit).to.deep.equal({ lost: [], duplicateIds: [], unexpected: [] } satisfies Audit)
      })

      it('logs warnings and the interrupted lists, keeps running, and stops when told to', () => {
        const grave = new Set(run.logged.filter(({ level }) => level > 40).map(({ msg }) => msg))
        expect(['a list broke off midway']).to.include.members([...grave])
        expect(run.ended).to.include({ code: 0, signal: null })
      })
    })
  }
})
