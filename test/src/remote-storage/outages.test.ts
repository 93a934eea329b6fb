import { inspect } from 'node:util'
import { rateLimitedWarning, redactError } from '@snippets/application/remote-storage/loggable-error.js'
import { retryPreparation } from '@snippets/application/remote-storage/retry-preparation.js'
import { expect } from 'chai'
import { fakeTimers } from '../support/fake-timers.js'
import { recordingLog } from '../support/service/logs.js'

const { timers, pass } = fakeTimers()

const serverError = (code: number, message = 'failed') =>
  Object.assign(new Error(message), { name: 'ServerError', code })

describe('retryPreparation', () => {
  const ends = { succeeds: () => Promise.resolve(), fails: () => Promise.reject(new Error('closed')) }
  for (const [what, end] of Object.entries(ends))
    it(`reports nothing, and is not done, when it is stopped during an attempt that ${what}`, async () => {
      const reported: unknown[] = []
      const { done, stop } = retryPreparation(timers, cause => reported.push(cause), end)
      done.then(() => reported.push('done'))
      stop()
      await pass(1000)
      expect(reported).to.deep.equal([])
    })

  it('reports each failure, and pauses as long as it demands, until the work succeeds', async () => {
    const reported: unknown[] = []
    const failures = [serverError(1), serverError(2)]
    const work = () => {
      const failure = failures[reported.length]
      return failure === undefined ? Promise.resolve() : Promise.reject(failure)
    }
    const pauseAfter = (error: unknown) => (error === failures[0] ? 500 : 2000)
    const { done } = retryPreparation(timers, cause => reported.push(cause), work, pauseAfter)
    let isDone = false
    done.then(() => (isDone = true))
    await pass(510)
    expect(reported).to.deep.equal(failures)
    await pass(1900)
    expect(isDone).to.equal(false)
    await pass(200)
    expect(isDone).to.equal(true)
  })
})

describe('A redacted error', () => {
  const secret = 'a text of an author'
  const errors = [
    serverError(96, `Plan executor error :: { title: "${secret}" }`),
    serverError(11_000, `E11000 dup key: '${secret}'`),
    new Error(`ungültige Eingabe: »${secret}«`),
    new Error(`Invalid field\n${secret}`, { cause: new Error(`command "${secret}"`) }),
  ]

  for (const error of errors)
    it(`ends before the quotation: ${error.message.slice(0, 12)}`, () => {
      const safe = redactError(error)
      const { log, lines } = recordingLog()
      rateLimitedWarning(log, 'planted')(error)
      expect(lines).to.have.length(1)
      for (const shown of [safe, lines]) expect(inspect(shown, { depth: 9 })).to.not.include(secret)
      expect(safe).to.include({ name: error.name })
      expect(safe.message.length).to.be.above(10)
      expect(safe.stack).to.match(/^at /)
      if ('code' in error) expect(safe).to.include({ code: error.code })
    })
})

describe('A rate-limited warning', () => {
  it('is logged once in ten seconds for each kind of cause', () => {
    const { log, lines } = recordingLog()
    let now = 0
    const warn = rateLimitedWarning(log, 'planted', () => now)
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
    for (const cause of [refused, refused, serverError(8000), refused]) warn(cause)
    expect(lines).to.have.length(2)
    now = 9999
    warn(refused)
    expect(lines).to.have.length(2)
    now = 10_000
    warn(refused)
    expect(lines).to.have.length(3)
  })
})
