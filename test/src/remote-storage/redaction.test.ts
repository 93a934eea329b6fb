import { mock } from 'node:test'
import {
  createOutageLog,
  createRateLimitedWarning,
  LoggableError,
  redactError,
} from '@snippets/remote-storage/redaction.js'
import { expect } from 'chai'
import { recordingLog } from '../support/service/logs.js'

const secret = 'a text of an author'

const serverError = (code: number, message = 'failed', cause?: Error) =>
  Object.assign(new Error(message, { cause }), { name: 'ServerError', code })

describe('A redacted error', () => {
  for (const [message, redacted] of [
    [`Plan executor error :: { title: "${secret}" }`, 'Plan executor error ::'],
    [`E11000 dup key: '${secret}'`, 'E11000 dup key:'],
    [`ungültige Eingabe: »${secret}«`, 'ungültige Eingabe:'],
    [`Invalid field\n${secret}`, 'Invalid field'],
    [`"${secret}" is invalid`, ''],
    [`${'x'.repeat(200)}${secret}`, 'x'.repeat(200)],
    [`${'x'.repeat(201)} "${secret}"`, 'x'.repeat(200)],
    ['no server answers', 'no server answers'],
  ] as const)
    it(`has the message ${JSON.stringify(redacted.slice(0, 30))} for ${JSON.stringify(message.slice(0, 30))}`, () => {
      const error = redactError(serverError(7, message))
      expect(error).to.include({ name: 'ServerError', code: 7, message: redacted })
      expect(error).to.not.have.property('cause')
      expect(error.stack).to.match(/^at /).and.not.include(secret)
    })

  it('has no stack when the stack may contain another message', () => {
    const errors = [{ message: 'new', stack: `Error: ${secret}\n    at planted` }, { stack: undefined }]
    for (const error of errors) expect(redactError(Object.assign(new Error(), error))).to.have.property('stack', '')
  })

  it('has three redacted causes at most', () => {
    const nested = [4, 3, 2, 1, 0].reduce((cause: Error, i) => new Error(`${i}: "${secret}"`, { cause }), new Error())
    const messages: string[] = []
    for (let error: unknown = redactError(nested); error instanceof Error; error = error.cause)
      messages.push(error.message)
    expect(messages).to.deep.equal(['0:', '1:', '2:', '3:'])
  })

  it('is unchanged when it is loggable, and names only the type of another value', () => {
    const loggable = new LoggableError(`not "quoted"`)
    expect(redactError(loggable)).to.equal(loggable)
    expect(redactError(secret)).to.have.property('message', 'a thrown string')
  })
})

describe('A rate-limited warning', () => {
  afterEach(() => mock.timers.reset())

  it('is logged without user data, once in ten seconds for each name and code of an error', () => {
    const { log, lines } = recordingLog()
    mock.timers.enable({ apis: ['Date'], now: 5 })
    const warn = createRateLimitedWarning(log, 'planted')
    const plain = new Error(`failed "${secret}"`)
    for (const error of [plain, plain, serverError(1), serverError(2), new TypeError('x'), serverError(1)]) warn(error)
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
