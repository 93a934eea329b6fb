import { expect } from 'chai'
import type { RequestRecord } from '../../support/faults/client.js'
import type { Audit } from '../../support/faults/ledger.js'
import { describeMongo } from '../../support/mongo/database.js'
import type { Fault } from '../../support/mongo/tcp-proxy.js'
import { type FaultRun, type Operation, operations, runThroughFault } from './fault-run.js'

const promisedMs = 2500
const writes: readonly string[] = ['create', 'put', 'patch', 'delete'] satisfies Operation[]

const isUnavailable = ({ outcome }: RequestRecord): boolean => outcome === 'unapplied' || outcome === 'unknown'

/** The answer to a list that is cut off began before the fault; what counts is how long it hung after that. */
const waitIn =
  ({ faultStart }: FaultRun) =>
  ({ outcome, startedAt, ms }: RequestRecord): number =>
    outcome === 'cut' ? startedAt + ms - Math.max(startedAt, faultStart) : ms

const slowestOf = (run: FaultRun): number => Math.max(...run.requests.map(waitIn(run)))

const faults: Readonly<Record<Fault, string>> = {
  cut: 'closes its connections',
  reset: 'resets its connections',
  'black hole': 'receives and sends nothing',
  'lost replies': 'sends replies that never arrive',
  slow: 'is slow',
}

const printTable = (runs: ReadonlyMap<Fault, FaultRun>): void => {
  const print = (cells: readonly (string | number)[]) =>
    console.log(cells.map(cell => String(cell).padStart(14)).join(''))
  print(['fault', 'requests', 'unavailable', 'slowest ms', 'lost writes', 'duplicate ids', 'recovery ms'])
  for (const [fault, run] of runs) {
    const { requests, audit, recoveryMs } = run
    const slowest = Math.round(slowestOf(run))
    const unavailable = requests.filter(isUnavailable).length
    print([
      fault,
      requests.length,
      unavailable,
      slowest,
      audit.lost.length,
      audit.duplicateIds.length,
      Math.round(recoveryMs),
    ])
  }
}

describeMongo('The service, while its database', engine => {
  const runs = new Map<Fault, FaultRun>()

  before(async function () {
    this.timeout(120_000)
    const left = Object.keys(faults) as Fault[]
    const runTheRest = async (): Promise<void> => {
      for (let fault = left.shift(); fault !== undefined; fault = left.shift())
        runs.set(fault, await runThroughFault(fault, engine))
    }
    // two at a time, so that each service has enough of the processor to answer in time
    await Promise.all([runTheRest(), runTheRest()])
  })

  after(() => printTable(runs))

  for (const fault of Object.keys(faults) as Fault[]) {
    describe(faults[fault], () => {
      let run: FaultRun
      before(() => {
        const found = runs.get(fault)
        if (found === undefined) throw new Error('the run failed')
        run = found
      })

      it('answers every request within the promised time', () => {
        expect(slowestOf(run)).to.be.below(promisedMs)
      })

      for (const operation of operations)
        it(`answers ${operation} with 503 during the fault, and serves it again after it without a restart`, () => {
          const { requests, faultStart, faultEnd } = run
          const isWithin = (time: number) => time > faultStart && time < faultEnd
          const all = requests.filter(one => one.operation === operation)
          const answered = all.filter(({ startedAt, ms }) => isWithin(startedAt + ms))
          expect(answered.some(isUnavailable)).to.equal(true)
          const begunToo = answered.filter(({ startedAt }) => isWithin(startedAt))
          expect(begunToo.filter(one => !isUnavailable(one))).to.deep.equal([])
          expect(all.some(({ outcome, startedAt }) => outcome === 'done' && startedAt > faultEnd)).to.equal(true)
        })

      it('reports an unknown outcome for some writes, and for nothing but writes', () => {
        const unknown = run.requests.filter(({ outcome }) => outcome === 'unknown')
        expect(unknown).to.not.deep.equal([])
        expect(unknown.filter(({ operation }) => !writes.includes(operation))).to.deep.equal([])
      })

      it('cuts off a list that is midway, and answers everything else', () => {
        const cut = run.requests.filter(({ outcome }) => outcome === 'cut')
        expect(new Set(cut.map(({ operation }) => operation))).to.deep.equal(new Set(['list']))
      })

      it('shows what it has acknowledged, and completes no list that misses snippets', () => {
        expect(run.wrongReads).to.deep.equal([])
      })

      it('loses no acknowledged write, assigns no id twice, and applies nothing that it reports as unapplied', () => {
        expect(run.audit).to.deep.equal({ lost: [], duplicateIds: [], unexpected: [] } satisfies Audit)
      })

      it('logs warnings and the interrupted list, keeps running, and stops when told to', () => {
        const grave = new Set(run.logged.filter(({ level }) => level > 40).map(({ msg }) => msg))
        expect(grave).to.deep.equal(new Set(['a list broke off midway']))
        expect(run.ended).to.include({ code: 0, signal: null })
      })
    })
  }
})
