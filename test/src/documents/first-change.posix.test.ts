import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { copyWorkspace } from '../support/workspace-copy.js'
import { readFromRoot } from '../support/workspace-root.js'

/** The diffs of the page: a file, and the lines to replace. */
const edits = [...readFromRoot('docs/first-change.md').matchAll(/^```diff\n--- ([^\n]+)\n(.*?)^```$/gms)].flatMap(
  ([, file = '', hunks = '']) =>
    hunks.split('@@\n').map(hunk => {
      const linesWithout = (sign: string) =>
        hunk.split('\n').flatMap(line => (line.startsWith(sign) ? [] : line.slice(1)))
      return { file, before: linesWithout('+').join('\n'), after: linesWithout('-').join('\n') }
    }),
)

const limitsTest = 'test/src/domain/text.test.ts'

describe('The first change', () => {
  it('is named by the compiler in one test only, and keeps what clients of 1.0.0 send and have stored', async () => {
    const { folder, remove } = await copyWorkspace()
    const node = (...args: readonly string[]): string =>
      spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env: { WITHOUT_DATABASES: '1' } }).stdout
    const apply = ({ file, before, after }: (typeof edits)[number]): void => {
      const parts = readFileSync(join(folder, file), 'utf8').split(before)
      expect(parts, `${file} has once:\n${before}`).to.have.length(2)
      writeFileSync(join(folder, file), parts.join(after))
    }
    try {
      edits.filter(({ file }) => file !== limitsTest).forEach(apply)
      const build = () => node('node_modules/typescript/bin/tsc', '-b', 'test')
      const errors = build().match(/^\S+(?=\(.*error)/gm)
      expect(errors).to.deep.equal([limitsTest])
      edits.filter(({ file }) => file === limitsTest).forEach(apply)
      expect(build()).to.equal('')
      const files = ['stored-formats', 'openapi-document', 'idempotency', 'text'].map(name => `${name}.test.ts`)
      expect(node('test/dist/runner/test.js', ...files)).to.match(/^[1-9]\d* passed, 0 failed/m)
    } finally {
      await remove()
    }
  }).timeout(120_000)
})
