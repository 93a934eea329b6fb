import { inspect } from 'node:util'
import { rateLimitedWarning, redactError } from '@snippets/application/remote-storage/loggable-error.js'
import { retryPreparation } from '@snippets/application/remote-storage/retry-preparation.js'
import { expect } from 'chai'
import { fakeTimers } from '../support/fake-timers.js'
import { recordingLog, silentLog } from '../support/service/logs.js'

const { timers, pass } = fakeTimers()

const serverError = (code: number, message = 'failed') =>
  Object.assign(new Error(message), { name: 'ServerError', code })

describe('retryPreparation', () => {
  it('logs nothing when it is stopped during an attempt', async () => {
    const { log, lines } = recordingLog()
    let tries = 0
    let fail = (_: Error): void => {}
    const { stop } = retryPreparation(log, timers, () => {
      tries++
      return new Promise((_, reject) => (fail = reject))
    })
    stop()
    fail(new Error('closed'))
    await pass(1000)
    expect(lines).to.deep.equal([])
    expect(tries).to.equal(1)
  })

  it('pauses as long as the error demands', async () => {
    let tries = 0
    const failing = () => {
      tries++
      return Promise.reject(serverError(tries))
    }
    const { stop } = retryPreparation(silentLog, timers, failing, error => (String(error) && tries === 1 ? 500 : 2000))
    await pass(510)
    expect(tries).to.equal(2)
    await pass(1900)
    expect(tries).to.equal(2)
    await pass(200)
    expect(tries).to.equal(3)
    stop()
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
      expect(inspect(safe, { depth: 5 })).to.not.include(secret)
      expect(safe).to.include({ name: error.name })
      expect(safe.message.length).to.be.above(10)
      expect(safe.stack).to.match(/^at /)
      if ('code' in error) expect(safe).to.include({ code: error.code })
    })

  it('is logged by warnings, and when the preparation of the database fails', async () => {
    const { log, lines } = recordingLog()
    for (const error of errors) {
      rateLimitedWarning(log, 'planted')(error)
      const trying = retryPreparation(log, timers, () => Promise.reject(error))
      await new Promise(setImmediate)
      trying.stop()
    }
    expect(lines).to.have.length(2 * errors.length)
    expect(inspect(lines, { depth: 9 })).to.not.include(secret)
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
