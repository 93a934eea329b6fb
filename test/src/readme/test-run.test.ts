import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { packages } from '../architecture/workspace.js'
import { databaseNames } from '../commands/databases.js'
import { inParallel, mochaCommand, mochaOptions } from '../commands/mocha-options.js'
import { root } from '../support/workspace-root.js'

const runMocha = (source: string, options: readonly string[]) => {
  // inside test, so that mocha resolves itself
  const folder = mkdtempSync(join(root, 'test/dist/planted-'))
  try {
    const file = join(folder, 'planted.cjs')
    writeFileSync(file, source)
    const { status, stdout, stderr } = spawnSync(process.execPath, [mochaCommand, ...mochaOptions, ...options, file])
    return { code: status, output: `${stdout}${stderr}` }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('A test run', () => {
  it('requires every test database in CI', () => {
    const script = readFileSync(join(root, '.ci/run'), 'utf8')
    for (const name of databaseNames) expect(script).to.contain(`REQUIRE_${name.toUpperCase()}=1`)
  })

  it('leaves out only suites that exist', () => {
    const [, titles = ''] = /^independent='(.*)'$/m.exec(readFileSync(join(root, '.ci/run'), 'utf8')) ?? []
    const suites = packages.flatMap(({ sources }) =>
      sources.flatMap(({ text }) => text.match(/\b(?:describe|withImage)\(['`].*/g) ?? []),
    )
    const unknown = titles.split('|').filter(title => !suites.some(suite => suite.includes(title)))
    expect(unknown).to.deep.equal([])
  })

  for (const [what, source] of Object.entries({
    'an unhandled rejection that is no Error': "it('ends', () => void Promise.reject('planted'))",
    'an exception after a test': `it('ends', () => void setTimeout(() => { throw new Error('planted') }, 50))
      it('waits', done => void setTimeout(done, 200))`,
  }))
    it(`fails on ${what}, even when its tests pass`, () => {
      const { code, output } = runMocha(source, [...inParallel, '--reporter', 'dot'])
      expect(code).to.be.greaterThan(0)
      expect(output).to.contain('planted')
    })

  it('names a test that fails with an error of another realm, and runs the next test', () => {
    const source =
      "it('plants', () => require('node:vm').runInNewContext('throw new Error()')); it('goes on', () => {})"
    const output = join(mkdtempSync(join(tmpdir(), 'reported-')), 'report.json')
    const reporter = [
      '--reporter',
      join(root, 'test/dist/commands/reporter.js'),
      '--reporter-option',
      `output=${output}`,
    ]
    const run = runMocha(source, [...inParallel, ...reporter])
    rmSync(dirname(output), { recursive: true })
    expect(run.output).to.contain('FAILED: plants\n').and.contain('1 passing')
  })

  it('names a failed test before the process exits early', () => {
    const source = "it('plants', () => { throw new Error('planted') }); it('cuts off', () => process.exit(3))"
    const { code, output } = runMocha(source, ['--reporter', join(root, 'test/dist/commands/reporter.js')])
    expect(code).to.equal(3)
    expect(output).to.contain('FAILED: plants\n    Error: planted')
  })
})
