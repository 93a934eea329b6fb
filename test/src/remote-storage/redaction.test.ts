import { LoggableError, redactError } from '@snippets/remote-storage/redaction.js'
import { expect } from 'chai'

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
