import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { errorFields } from '@snippets/apps/logging/logger.js'
import { expect } from 'chai'
import { logLinesOf } from '../../support/service/logs.js'
import { root } from '../../support/workspace-root.js'

const loggerFile = JSON.stringify(pathToFileURL(join(root, 'apps/dist/logging/logger.js')).href)

const logOf = (script: string): string => {
  const code = `const { createLogger } = await import(${loggerFile}); ${script}; await log.flush(); process.exit()`
  return spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }).stderr
}

describe('The log', () => {
  it('writes JSON lines at its level or above, even when the process exits at once', () => {
    const lines = logLinesOf(
      logOf(`
        const log = await createLogger('warn')
        for (const level of ['debug', 'info']) log[level]({}, level)
        log.warn({ index: 'two\\nlines', missing: undefined }, 'an index is gone')
        const cause = Object.assign(new Error('inner'), { code: 'EPIPE', stack: 'at inner' })
        log.error({ err: Object.assign(new TypeError('outer', { cause }), { body: 'private', stack: 'at outer' }) }, 'failed')`),
    )
    for (const { time, pid } of lines) {
      expect(time).to.be.closeTo(Date.now(), 60_000)
      expect(pid).to.be.a('number')
    }
    const inner = { type: 'Error', message: 'inner', code: 'EPIPE', stack: 'at inner' }
    expect(lines.map(({ time, pid, ...rest }) => rest)).to.deep.equal([
      { level: 40, index: 'two\nlines', msg: 'an index is gone' },
      { level: 50, err: { type: 'TypeError', message: 'outer', stack: 'at outer', cause: inner }, msg: 'failed' },
    ])
  })

  it('writes at most five causes of an error, even in a cycle, and only the type of another value', () => {
    const err = new Error('again')
    err.cause = err
    expect(JSON.stringify(errorFields(err)).match(/"message":"again"/g)).to.have.length(6)
    expect(errorFields('private')).to.deep.equal({ type: 'string' })
  })

  it('replaces control characters of clients on a terminal', () => {
    const evil = String.raw`\u001b[2J\u009b2J\u202e\u0007\b\r\\u001b\"`
    const log = logOf(`
      process.stderr.isTTY = true
      const log = await createLogger('info')
      const err = Object.assign(new Error("${evil}"), { stack: "${evil}" })
      log.error({ err, reason: "${evil}" }, "said ${evil}")`)
    expect(log).to.contain('said').and.to.contain('reason')
    // colours need a terminal on standard output too
    expect(log).to.not.match(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u)
  })
})
