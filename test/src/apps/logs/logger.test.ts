import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { errorFields } from '@snippets/apps/logging/error-fields.js'
import { expect } from 'chai'
import { logLinesOf } from '../../support/log-lines.js'
import { root } from '../../support/workspace-root.js'

const loggerFile = JSON.stringify(pathToFileURL(join(root, 'apps/dist/logging/logger.js')).href)

/** What a process logs that runs this script. */
const logOf = (script: string, level = 'info'): string => {
  const code = `const { createLogger } = await import(${loggerFile}); const log = await createLogger('${level}'); ${script}; await log.flush()`
  return spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }).stderr
}

describe('A log line', () => {
  it('is JSON with its level as a number, its time, its process, its fields and its message', () => {
    const [line] = logLinesOf(logOf(`log.warn({ index: 'two\\nlines', missing: undefined }, 'an index is gone')`))
    const { time, pid, ...rest } = line ?? { time: 0, pid: '' }
    expect(rest).to.deep.equal({ level: 40, index: 'two\nlines', msg: 'an index is gone' })
    expect(time).to.be.closeTo(Date.now(), 60_000)
    expect(pid).to.be.a('number')
  })

  it('is written also when the process exits at once, and only at the level that is set or above', () => {
    const log = logOf(
      `for (const level of ['debug', 'info', 'warn', 'error']) log[level]({}, level); await log.flush(); process.exit()`,
      'warn',
    )
    expect(logLinesOf(log).map(({ msg }) => msg)).to.deep.equal(['warn', 'error'])
  })

  it('has the type, message, code, stack and causes of an error, and nothing else of it', () => {
    const script = `
      const cause = Object.assign(new Error('inner'), { code: 'EPIPE', stack: 'at inner' })
      log.error({ err: Object.assign(new TypeError('outer', { cause }), { body: 'private', stack: 'at outer' }) }, 'failed')`
    expect(logLinesOf(logOf(script))[0]?.err).to.deep.equal({
      type: 'TypeError',
      message: 'outer',
      stack: 'at outer',
      cause: { type: 'Error', message: 'inner', code: 'EPIPE', stack: 'at inner' },
    })
  })

  it('ends with the fifth cause of an error, which may be its own cause', () => {
    const err = new Error('again')
    err.cause = err
    expect(JSON.stringify(errorFields(err)).match(/"message":"again"/g)).to.have.length(6)
  })

  it('says only the type of what was thrown but is no error', () => {
    expect(errorFields('private')).to.deep.equal({ type: 'string' })
  })
})

describe('A log line on a terminal', () => {
  const onTerminal = (script: string): string => {
    const code = `process.stderr.isTTY = true; const { createLogger } = await import(${loggerFile}); const log = await createLogger('info'); ${script}`
    return spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }).stderr
  }

  it('lets nothing that others wrote steer the terminal', () => {
    const evil = String.raw`\u001b[2J\u009b2J\u202e\u0007\b\r\\u001b\"`
    const log = onTerminal(`
      const err = Object.assign(new Error("${evil}"), { stack: "${evil}" })
      log.error({ err, reason: "${evil}" }, "said ${evil}")`)
    expect(log).to.contain('said').and.to.contain('reason')
    // it has colours only where standard output is a terminal too
    expect(log).to.not.match(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u)
  })
})
