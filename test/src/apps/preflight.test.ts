import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect } from 'chai'
import { runInShell, type ShellCommand } from '../support/commands/shell-command.js'
import { copyWorkspace, type WorkspaceCopy } from '../support/commands/workspace-copy.js'
import { root } from '../support/workspace-root.js'

const file = join(root, 'apps/preflight.cjs')
const { nodeComplaint }: { nodeComplaint: (version: string) => string } = createRequire(import.meta.url)(file)

describe('The preflight', () => {
  for (const version of ['12.22.12', '18.20.4', '20.18.3'])
    it(`rejects Node ${version} and says which version is needed`, () => {
      expect(nodeComplaint(version)).to.equal(
        `Node.js 20.19 or newer is required, but this is ${version}. Install a newer version from https://nodejs.org and try again.`,
      )
    })

  for (const version of ['20.19.0', '20.20.2', '22.0.0', '24.1.0'])
    it(`accepts Node ${version}`, () => {
      expect(nodeComplaint(version)).to.equal('')
    })

  it('uses only syntax that Node 12 can parse', async () => {
    const code = (await readFile(file, 'utf8')).replaceAll(/\/\/.*|\/\*.*?\*\//g, '')
    expect(code).to.not.match(/\?\.|\?\?|[|&]{2}=|\bimport\b|\bawait\b|\bstatic\b|\d_\d/)
  })

  it('requires no `node:` module before it has checked the version', async () => {
    const beforeFunctions = (await readFile(file, 'utf8')).match(/^const .*require\('node:.*$/gm)
    expect(beforeFunctions).to.equal(null)
  })
})

/** Stands for npx, so that nothing is installed: prints what it was given, waits for a file, and fails. */
const npx = `#!/bin/sh
echo "npx $*"
echo "log level: \${npm_config_loglevel:-none}"
while [ ! -e go-on ]; do sleep 0.1; done
echo 'the registry cannot be reached' >&2
exit 3
`

describe('On a fresh clone', () => {
  let copy: WorkspaceCopy
  let command: ShellCommand | undefined
  before(async () => {
    copy = await copyWorkspace()
    await appendFile(join(copy.folder, 'pnpm-lock.yaml'), '\n# changed\n')
    await mkdir(join(copy.folder, 'stub'))
    await writeFile(join(copy.folder, 'stub/npx'), npx, { mode: 0o755 })
  })
  afterEach(async () => {
    command?.signal('SIGTERM')
    await command?.ended
  })
  after(() => copy.remove())

  for (const [line, arguments_] of [
    ['npm start --silent', '--frozen-lockfile --filter @snippets/apps...'],
    ['npm test', '--frozen-lockfile'],
  ] as const)
    it(`${line} shows how the installation goes, and why it fails`, async () => {
      const { engines } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
      const path = `PATH="$PWD/stub:$PATH"`
      command = runInShell(`rm -f go-on; ${path} ${line}`, copy.folder, { PORT: '0' })
      expect(await command.printed(/^npx (.*)$/m)).to.equal(
        `--yes pnpm@${engines.pnpm} install --prefer-offline ${arguments_}`,
      )
      expect(await command.printed(/^log level: (.*)$/m)).to.equal('none')
      await writeFile(join(copy.folder, 'go-on'), '')
      const { code, output } = await command.ended
      expect(code).to.equal(1)
      expect(output).to.match(
        /Installing dependencies \.\.\.[^$]*the registry cannot be reached\nInstalling dependencies failed\.\n/,
      )
    })
})
