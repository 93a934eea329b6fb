import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { inParallel, mochaCommand, mochaOptions } from '../commands/mocha-options.js'
import { root } from '../support/workspace-root.js'

/** Each is a test that passes by itself. */
const planted: Readonly<Record<string, string>> = {
  'an unhandled rejection': `it('ends', () => void Promise.reject(new Error('planted')))`,
  'an unhandled rejection after its end': `it('ends', () => void setImmediate(() => Promise.reject(new Error('planted')))); it('waits', done => void setTimeout(done, 20))`,
  'an unhandled rejection that is no Error': `it('ends', () => void Promise.reject('planted'))`,
  'an uncaught exception in a later test': `it('ends', () => void setTimeout(() => { throw new Error('planted') }, 200)); it('waits', done => void setTimeout(done, 1000))`,
}

const runMocha = async (
  source: string,
  options: readonly string[] = [...inParallel, '--reporter', 'dot'],
): Promise<Readonly<{ code: number | null; output: string }>> => {
  // below test, so that mocha finds itself
  const folder = await mkdtemp(join(root, 'test/dist/planted-'))
  try {
    const files = ['planted.cjs', 'sound.cjs'].map(name => join(folder, name))
    await Promise.all([source, "it('is sound', () => {})"].map((text, i) => writeFile(files[i] ?? '', text)))
    const child = spawn(process.execPath, [mochaCommand, ...mochaOptions, ...options, ...files])
    const ended = new Promise<number | null>(resolve => void child.once('close', resolve))
    const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
    return { code, output: out + errors }
  } finally {
    await rm(folder, { recursive: true })
  }
}

describe('A test run', () => {
  for (const [what, source] of Object.entries(planted))
    it(`fails for ${what}`, async () => {
      const { code, output } = await runMocha(source)
      expect(code).to.be.greaterThan(0)
      expect(output).to.contain('planted')
    })

  it('that is cut off has named its failure', async () => {
    const source = "it('plants', () => { throw new Error('planted') }); it('cuts off', () => process.exit(3))"
    const { code, output } = await runMocha(source, ['--reporter', join(root, 'test/dist/commands/reporter.js')])
    expect(code).to.equal(3)
    expect(output).to.contain('FAILED: plants\n    Error: planted')
  })

  it('passes where nothing is wrong', async () => {
    expect((await runMocha("it('is sound too', () => {})")).code).to.equal(0)
  })
})
