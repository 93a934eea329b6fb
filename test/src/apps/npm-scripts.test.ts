import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../support/eventually.js'
import { killAtExit } from '../support/service/child-process.js'
import { directories } from '../support/storage/data-directory.js'
import { root } from '../support/workspace-root.js'

const preflight = join(root, 'apps/preflight.cjs')
const { unsupportedNodeMessage }: { unsupportedNodeMessage: (version: string) => string } = createRequire(
  import.meta.url,
)(preflight)

const { PATH, HOME } = process.env

/** Replaces npm's own script: prints its arguments and fails. */
const npmScript = `
console.log('npm', ...process.argv.slice(2))
console.log('log level:', process.env.npm_config_loglevel || 'none')
console.error('the registry cannot be reached')
process.exit(3)`

describe('The preflight', () => {
  const newDirectory = directories()

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

  it("runs npm's own script to install what the service needs, and prints its error", async () => {
    const folder = await newDirectory()
    await mkdir(join(folder, 'apps'))
    for (const file of ['apps/preflight.cjs', 'package.json', 'pnpm-lock.yaml'])
      await copyFile(join(root, file), join(folder, file))
    const npm_execpath = join(folder, 'npm-cli.js')
    await writeFile(npm_execpath, npmScript)
    const { engines } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const { status, stderr } = spawnSync(process.execPath, ['apps/preflight.cjs'], {
      cwd: folder,
      env: { PATH, npm_config_loglevel: 'silent', npm_execpath },
      encoding: 'utf8',
    })
    expect(stderr.split('\n')).to.deep.equal([
      'Installing dependencies ...',
      `npm exec --yes -- pnpm@${engines.pnpm} install --prefer-offline --frozen-lockfile --filter @snippets/apps...`,
      'log level: none',
      'the registry cannot be reached',
      'Installing dependencies failed.',
      '',
    ])
    expect(status).to.equal(1)
  })
})

const listening = /"url":"([^"]+)".*"listening"/

describe('npm start', () => {
  it('stops the service when only npm receives SIGTERM', async () => {
    const env = { PATH, HOME, PORT: '0', DATA_DIR: '', STORAGE: 'memory', ADMIN_PORT: '' }
    const child = killAtExit(spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'ignore', 'pipe'] }))
    let log = ''
    child.stderr.setEncoding('utf8').on('data', chunk => {
      log += chunk
    })
    // all processes of the command have closed the output
    const ended = once(child, 'close')
    try {
      await eventually(
        () => listening.test(log),
        60_000,
        () => log,
      )
      child.kill('SIGTERM')
      await ended
      expect(log).to.contain('"msg":"stopped"')
      const [, url = ''] = listening.exec(log) ?? []
      expect(await fetch(url).catch(({ cause }) => cause.code)).to.equal('ECONNREFUSED')
    } finally {
      child.kill('SIGKILL')
    }
  }).timeout(120_000)
})
