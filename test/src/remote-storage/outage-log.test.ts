import { mock } from 'node:test'
import { createOutageLog, createRateLimitedWarning } from '@snippets/remote-storage/outage-log.js'
import { expect } from 'chai'
import { recordingLog } from '../support/service/logs.js'

describe('A rate-limited warning', () => {
  afterEach(() => mock.timers.reset())

  it('is logged without user data, once in ten seconds for each name and code of an error', () => {
    const { log, lines } = recordingLog()
    mock.timers.enable({ apis: ['Date'], now: 5 })
    const warn = createRateLimitedWarning(log, 'planted')
    const [plain, first, second] = [undefined, 1, 2].map(code =>
      Object.assign(new Error('failed "x"'), code && { code }),
    )
    for (const error of [plain, plain, first, second, new TypeError('x'), first]) warn(error)
    const warnings = lines.map(({ level, msg, err }) => [level, msg, (err as Error).message])
    expect(warnings).to.deep.equal(['failed', 'failed', 'failed', 'x'].map(message => ['warn', 'planted', message]))
    mock.timers.tick(9999)
    warn(plain)
    expect(lines).to.have.length(4)
    mock.timers.tick(1)
    warn(plain)
    expect(lines).to.have.length(5)
    // the clock of the system is set back
    mock.timers.setTime(0)
    warn(plain)
    expect(lines).to.have.length(6)
  })
})

describe('The log of an outage', () => {
  afterEach(() => mock.timers.reset())

  it('ends when ten seconds have passed since the last failure, with its time', () => {
    const { log, lines } = recordingLog()
    mock.timers.enable({ apis: ['Date'], now: 5 })
    const { onFailure, onSuccess } = createOutageLog(log, 'MongoDB')
    const ends = () => lines.filter(({ msg }) => msg === 'MongoDB works again')
    onSuccess()
    for (const ms of [0, 5000]) {
      mock.timers.tick(ms)
      onFailure(new Error('planted'))
    }
    for (const [ms, expected] of [
      [9999, 0],
      [1, 1],
      [20_000, 1],
    ] as const) {
      mock.timers.tick(ms)
      onSuccess()
      expect(ends()).to.have.length(expected)
    }
    expect(ends()[0]).to.deep.include({ level: 'info', lastFailure: new Date(5005) })
  })
})
