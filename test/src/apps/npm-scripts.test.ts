import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect } from 'chai'
import { runInShell, type ShellCommand } from '../support/commands/shell-command.js'
import { copyWorkspace, type WorkspaceCopy } from '../support/commands/workspace-copy.js'
import { root } from '../support/workspace-root.js'

const preflight = join(root, 'apps/preflight.cjs')
const { unsupportedNodeMessage }: { unsupportedNodeMessage: (version: string) => string } = createRequire(
  import.meta.url,
)(preflight)

describe('The preflight', () => {
  it('rejects a Node that is too old or too new, and says which versions are supported', () => {
    for (const version of ['18.20.4', '20.18.3', '27.0.0'])
      expect(unsupportedNodeMessage(version)).to.equal(
        `Node.js 20.19 to 26 is required, but this is ${version}. Install such a version from https://nodejs.org and try again.`,
      )
    for (const version of ['20.19.0', '22.0.0', '26.9.9']) expect(unsupportedNodeMessage(version)).to.equal('')
  })

  it('uses only syntax that Node 12 can parse, and loads `node:` modules only after the version check', async () => {
    const code = (await readFile(preflight, 'utf8')).replaceAll(/\/\/.*|\/\*.*?\*\//g, '')
    expect(code).to.not.match(/\?\.|\?\?|[|&]{2}=|\bimport\b|\bawait\b|\bstatic\b|\d_\d/)
    expect(code).to.not.match(/^const .*require\('node:/m)
  })
})

const listening = /"url":"([^"]+)".*"listening"/

const expectStopped = async (url: string): Promise<void> => {
  expect(await fetch(url).catch(({ cause }) => cause.code)).to.equal('ECONNREFUSED')
}

describe('npm start', () => {
  it('stops the service when only npm receives SIGTERM', async () => {
    const environment = { PORT: '0', DATA_DIR: '', STORAGE: 'memory', ADMIN_PORT: '' }
    const npm = runInShell('exec npm start', root, environment)
    try {
      const url = await npm.printed(listening)
      npm.signalFirst('SIGTERM')
      expect((await npm.ended).output).to.contain('"msg":"stopped"')
      await expectStopped(url)
    } finally {
      npm.signal('SIGKILL')
    }
  })
})

/** Replaces npm's own script: prints its arguments, waits for a file, and fails. */
const npmScript = `
const { existsSync } = require('node:fs')
console.log('npm', ...process.argv.slice(2))
console.log('log level:', process.env.npm_config_loglevel || 'none')
setInterval(() => {
  if (!existsSync('go-on')) return
  console.error('the registry cannot be reached')
  process.exit(3)
}, 50)
`

describe('In a clone', () => {
  let copy: WorkspaceCopy
  let command: ShellCommand
  before(async () => {
    copy = await copyWorkspace()
  })
  afterEach(async () => {
    command.signal('SIGTERM')
    await command.ended
  })
  after(() => copy.remove())

  // the script behind npm run dev
  it('dev.js restarts the service when a source changes, and ends the service and the compiler on SIGINT', async () => {
    command = runInShell('node apps/dist/commands/dev.js', copy.folder, { PORT: '0' })
    await Promise.all([command.printed(listening), command.printed(/Found 0 errors/)])
    const source = join(copy.folder, 'apps/src/run.ts')
    const changed = (await readFile(source, 'utf8')).replace(`'listening'`, `'listens again'`)
    // repeatedly, because the compiler misses changes while it starts
    await writeFile(source, changed)
    const changes = setInterval(() => writeFile(source, changed), 2000)
    const url = await command.printed(/"url":"([^"]+)".*"listens again"/).finally(() => clearInterval(changes))
    expect((await fetch(`${url}/api/snippets/`)).status).to.equal(200)
    command.signal('SIGINT')
    // resolves when both processes have closed the output
    await command.ended
    await expectStopped(url)
  }).timeout(60_000)

  for (const [line, arguments_] of [
    ['node apps/preflight.cjs', '--frozen-lockfile --filter @snippets/apps...'],
    ['node apps/preflight.cjs test', '--frozen-lockfile'],
  ] as const)
    it(`${line} runs npm's own script, and prints the progress and the error of a failed installation`, async () => {
      await appendFile(join(copy.folder, 'pnpm-lock.yaml'), '\n# changed\n')
      await mkdir(join(copy.folder, 'stub'), { recursive: true })
      await writeFile(join(copy.folder, 'stub/npm-cli.js'), npmScript)
      await writeFile(join(copy.folder, 'stub/package.json'), '{}')
      const { engines } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
      const variables = 'npm_config_loglevel=silent npm_execpath="$PWD/stub/npm-cli.js"'
      command = runInShell(`rm -f go-on; ${variables} ${line}`, copy.folder, { PORT: '0' })
      expect(await command.printed(/^npm (.*)$/m)).to.equal(
        `exec --yes -- pnpm@${engines.pnpm} install --prefer-offline ${arguments_}`,
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
