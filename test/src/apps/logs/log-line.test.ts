import { stripVTControlCharacters } from 'node:util'
import { errorFields } from '@snippets/apps/logging/error-fields.js'
import { logLine } from '@snippets/apps/logging/log-line.js'
import { readableLine } from '@snippets/apps/logging/readable-line.js'
import { expect } from 'chai'

const esc = '\u001b'

describe('A log line', () => {
  it('is JSON with its level as a number, its time, its process, its fields and its message', () => {
    const before = Date.now()
    const { time, ...rest } = JSON.parse(logLine('warn', { index: 'a' }, 'an index is gone'))
    expect(rest).to.deep.equal({ level: 40, pid: process.pid, index: 'a', msg: 'an index is gone' })
    expect(time).to.be.within(before, Date.now())
  })

  it('ends with its only newline, whatever it holds', () => {
    const line = logLine('info', { reason: 'two\nlines' }, 'and\nmore')
    expect(line.indexOf('\n')).to.equal(line.length - 1)
  })

  it('has the type, message, code, stack and causes of an error, and nothing else of it', () => {
    const cause = Object.assign(new Error('inner'), { code: 'EPIPE' })
    const err = Object.assign(new TypeError('outer', { cause }), { body: 'private' })
    const { err: shown } = JSON.parse(logLine('error', { err }, 'failed'))
    expect(shown).to.deep.equal({
      type: 'TypeError',
      message: 'outer',
      stack: err.stack,
      cause: { type: 'Error', message: 'inner', code: 'EPIPE', stack: cause.stack },
    })
  })

  it('says only the type of what an error has where others have texts', () => {
    const bare = Object.create(null)
    const strange = Object.assign(new Error('first'), { name: 1n, message: bare, code: Symbol('c'), stack: undefined })
    const { err } = JSON.parse(logLine('fatal', { err: strange }, 'uncaught'))
    expect(err).to.deep.equal({ type: 'bigint', message: 'object', code: 'symbol' })
  })

  it('ends with the fifth cause of an error, which may be its own cause', () => {
    const err = new Error('again')
    err.cause = err
    expect(logLine('error', { err }, 'failed').match(/"message":"again"/g)).to.have.length(6)
  })

  it('keeps the code of an error a number where it is one', () => {
    expect(errorFields(Object.assign(new Error(), { code: 11000 }))).to.include({ code: 11000 })
  })

  it('survives an error that cannot be read', () => {
    const err = Object.defineProperty(new Error(), 'message', { get: () => expect.fail('the getter') })
    expect(errorFields(err)).to.deep.equal({ type: 'unreadable' })
  })

  it('says only the type of what was thrown but is no error', () => {
    expect(errorFields('private')).to.deep.equal({ type: 'string' })
  })
})

describe('A log line on a terminal', () => {
  const shown = (line: string): string => stripVTControlCharacters(readableLine(line))

  it('has the time of day, the level, the message and the other fields', () => {
    const line = JSON.stringify({
      level: 40,
      time: new Date(2026, 0, 2, 3, 4, 5, 678).getTime(),
      pid: 1,
      a: 1,
      msg: 'gone',
    })
    expect(shown(line)).to.equal('03:04:05.678 WARN: gone {"a":1}\n')
  })

  it('tells of a request what was asked and how it ended', () => {
    const request = {
      level: 30,
      time: 0,
      pid: 1,
      method: 'GET',
      route: '/api/users/',
      bytes: 5,
      ms: 0.4,
      msg: 'request',
    }
    expect(shown(JSON.stringify({ ...request, status: 200 }))).to.match(/ INFO: GET \/api\/users\/ 200 in 0.4 ms\n$/)
    expect(shown(JSON.stringify(request))).to.match(/ INFO: GET \/api\/users\/ unanswered in 0.4 ms\n$/)
    expect(shown(JSON.stringify({ ...request, msg: 'a request failed' }))).to.match(
      /INFO: a request failed: GET \/api\/users\/\n$/,
    )
  })

  it('shows the stacks of an error and of its causes below it', () => {
    const err = new Error('outer', { cause: new Error('inner') })
    const lines = shown(logLine('error', { err }, 'failed')).split('\n')
    expect(lines[0]).to.match(/ERROR: failed$/)
    expect(lines[1]).to.equal('    Error: outer')
    expect(lines[2]).to.match(/^ {8}at .*log-line\.test/)
    expect(lines).to.include('    caused by').and.to.include('    Error: inner')
  })

  it('shows the fields of a request only where they are those of one', () => {
    expect(shown(logLine('info', { failures: 2, ms: 5 }, 'works again'))).to.match(
      / works again {"failures":2,"ms":5}\n$/,
    )
  })

  it('shows an error without a stack, and what is no error', () => {
    expect(shown(logLine('error', { err: Object.assign(new Error('why'), { stack: undefined }) }, 'failed'))).to.match(
      /\n {4}Error: why\n$/,
    )
    expect(shown(logLine('error', { err: 'private' }, 'failed'))).to.match(/\n {4}string: no error was thrown\n$/)
  })

  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const)
    it(`names the level ${level} and paints it`, () => {
      const line = readableLine(logLine(level, {}, 'said'))
      expect(line).to.contain(`m${level.toUpperCase()}${esc}[39;49m: `)
    })

  it('lets nothing that others wrote steer the terminal', () => {
    const err = Object.assign(new Error(), { stack: `${esc}[2J` })
    const line = readableLine(logLine('error', { err, reason: '\u009b2J' }, `said ${esc}]0;title\n\u202e`))
    // but for the colours
    expect(line.replaceAll(/\p{Cc}\[[\d;]+m/gu, '')).to.match(/^[^\p{Cc}\p{Bidi_Control}]+\n[^\p{Cc}]+\n$/u)
  })
})
