import { inspect } from 'node:util'
import { redactError } from '@snippets/application/remote-storage/loggable-error.js'
import { outageLog, storageClosed } from '@snippets/application/remote-storage/outage-log.js'
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
    const { stop } = retryPreparation(
      log,
      timers,
      () => false,
      () => {
        tries++
        return new Promise((_, reject) => (fail = reject))
      },
    )
    stop()
    fail(new Error('closed'))
    await pass(1000)
    expect(lines).to.deep.equal([])
    expect(tries).to.equal(1)
  })

  it('doubles its pauses when the database answers with errors', async () => {
    let tries = 0
    const failing = () => {
      tries++
      return Promise.reject(serverError(1))
    }
    const { stop } = retryPreparation(silentLog, timers, () => true, failing)
    await pass(500 + 1000 + 2000 + 4000 + 50)
    expect(tries).to.equal(5)
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

  it('is logged in an outage, and when the preparation of the database fails', async () => {
    const { log, lines } = recordingLog()
    for (const error of errors) {
      outageLog(log, timers).failed(error)
      const trying = retryPreparation(
        log,
        timers,
        () => true,
        () => Promise.reject(error),
      )
      await new Promise(setImmediate)
      trying.stop()
    }
    expect(lines).to.have.length(2 * errors.length)
    expect(inspect(lines, { depth: 9 })).to.not.include(secret)
  })
})

describe('An outage of a database', () => {
  it('ends a second after a success, unless a failure follows, and is logged once', async () => {
    const { log, lines } = recordingLog()
    const { failed, succeeded } = outageLog(log, timers)
    failed(new Error('gone'))
    succeeded()
    failed(new Error('gone again'))
    await pass(1200)
    expect(lines.map(({ level }) => level)).to.deep.equal(['warn'])
    succeeded()
    await pass(1000)
    expect(lines.slice(1)).to.deep.equal([{ level: 'info', msg: 'the database works again', failures: 2, ms: 2200 }])
  })

  it('logs each kind of cause once', () => {
    const { log, lines } = recordingLog()
    const { failed } = outageLog(log, timers)
    const rejection = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
    for (const cause of [rejection, rejection, serverError(8000), rejection]) failed(cause)
    expect(lines).to.have.length(2)
  })

  it('does not begin when the storage is closed', () => {
    const { log, lines } = recordingLog()
    outageLog(log, timers).failed(storageClosed)
    expect(lines).to.deep.equal([])
  })
})
