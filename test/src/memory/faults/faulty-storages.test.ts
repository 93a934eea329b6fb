import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { mochaCommand, mochaOptions } from '../../runner/mocha-options.js'
import type { Report } from '../../runner/reporter.js'
import { root } from '../../support/workspace-root.js'

/** Runs the contracts on the faulty storages. Returns the tests that fail. */
const failuresOfContracts = async (): Promise<Report['failures']> => {
  const contracts = join(root, 'test/dist/support/faults/faulty-storages.js')
  const args = [mochaCommand, ...mochaOptions, '--reporter', 'json', contracts]
  const options = { env: { ...process.env, KILLS: '1' }, maxBuffer: 10_000_000 }
  const { stdout } = await promisify(execFile)(process.execPath, args, options).catch(failed => failed)
  const { failures }: Report = JSON.parse(stdout)
  return failures
}

const settlesInTime = 'settles every operation before the deadline, with a Left for a failure'
const losesNothing = 'loses no acknowledged write, repeats no id, and applies no write that it reports as unapplied'
const during = (fault: string, failure: string) =>
  `Outage contract of a storage: a storage during "${fault}" ${failure}`

/** The failures that the faults must cause. */
const expected: readonly string[] = [
  during('reports every outcome as unapplied', losesNothing),
  during('has no deadline', settlesInTime),
  during('throws instead of returning a Left', settlesInTime),
  during('stores key and snippet in two steps', losesNothing),
  during('repeats a write after a lost reply', losesNothing),
  during('acknowledges writes that it loses', losesNothing),
  during('never recovers', `"before all" hook for "${settlesInTime}"`),
  during('holds connections after the deadline', `"before all" hook for "${settlesInTime}"`),
  'a storage that keeps expired keys removes the expired keys of deleted snippets, and no others',
  'Outage contract of a storage: causes no uncaught error',
  'A service on a storage that acknowledges writes before they are on its disk that is killed while it writes loses no acknowledged write, repeats no id, and creates once for each key, in 1 kills',
]

describe('The contracts', () => {
  let failures: Report['failures'] = []
  let titles: readonly string[] = []
  before(async function () {
    this.timeout(240_000)
    failures = await failuresOfContracts()
    titles = failures.map(({ fullTitle }) => fullTitle)
  })

  for (const failure of expected)
    it(`fail on a faulty storage: ${failure}`, () => {
      expect(titles).to.include(failure)
    })

  it('fail with each unhandled rejection and each leak of listeners', () => {
    const hook = failures.find(({ fullTitle }) => fullTitle === '"after all" hook: afterAll in "{root}"')
    for (const error of ['planted', 'MaxListenersExceededWarning']) expect(hook?.err.message).to.contain(error)
  })

  it('pass on a storage without a fault', () => {
    expect(titles.filter(title => title.includes('has no other fault'))).to.deep.equal([])
  })
})
