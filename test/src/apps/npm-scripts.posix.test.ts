import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, link, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Environment } from '@snippets/apps/settings/setting-parsers.js'
import { expect } from 'chai'
import { eventually } from '../support/eventually.js'
import { importing } from '../support/service/child-process.js'
import { directories } from '../support/storage/data-directory.js'
import { copyWorkspace } from '../support/workspace-copy.js'
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
    expect(code).to.not.match(/\?\.|\?\?|[|&]{2}=|\bimport\b(?!-)|\bawait\b|\bstatic\b|\d_\d/)
    expect(code).to.not.match(/^const .*require\('node:/m)
  })

  it('bundles new files, without a link to those of the clone or of another bundle', async () => {
    const { folder, remove } = await copyWorkspace()
    try {
      const [built, stale] = ['serve-api.js', 'stale.js'].map(name => join(folder, 'adapters-http/dist', name))
      const older = join(folder, 'older-bundle.js')
      await link(built ?? '', older)
      await writeFile(stale ?? '', '')
      const args = ['apps/preflight.cjs', '--bundle', 'bundle']
      const options = { cwd: folder, env: { PATH, HOME, INIT_CWD: folder }, encoding: 'utf8' } as const
      const { status, stderr } = spawnSync(process.execPath, args, options)
      expect(status, stderr).to.equal(0)
      const entries = await readdir(join(folder, 'bundle'), { recursive: true, withFileTypes: true })
      const files = entries.filter(entry => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
      expect(files.some(file => file.endsWith('@snippets/adapters-http/dist/serve-api.js'))).to.equal(true)
      expect(files.filter(file => file.endsWith('stale.js'))).to.deep.equal([])
      const links = await Promise.all([older, ...files].map(async file => ((await stat(file)).nlink > 1 ? [file] : [])))
      expect(links.flat()).to.deep.equal([])
    } finally {
      await remove()
    }
  }).timeout(240_000)

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

const run = (command: string, args: readonly string[], cwd: string, environment: Environment) => {
  const child = spawn(command, args, { cwd, env: { PATH, HOME, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] })
  process.once('exit', () => child.kill())
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', chunk => {
      output += chunk
    })
  /** Waits for a match, and returns its group. */
  const printed = async (pattern: RegExp): Promise<string> => {
    await eventually(
      () => pattern.test(output),
      60_000,
      () => output,
    )
    return pattern.exec(output)?.[1] ?? ''
  }
  // all processes of the command have closed the output
  return { child, printed, ended: once(child, 'close').then(() => output) }
}

const listening = /"url":"([^"]+)".*"listening"/

const expectStopped = async (url: string): Promise<void> => {
  expect(await fetch(url).catch(({ cause }) => cause.code)).to.equal('ECONNREFUSED')
}

describe('npm start', () => {
  it('stops the service when only npm receives SIGTERM', async () => {
    const environment = { PORT: '0', DATA_DIR: '', STORAGE: 'memory', ADMIN_PORT: '' }
    const { child, ended, printed } = run('npm', ['start'], root, environment)
    try {
      const url = await printed(listening)
      child.kill('SIGTERM')
      expect(await ended).to.contain('"msg":"stopped"')
      await expectStopped(url)
    } finally {
      child.kill('SIGKILL')
    }
  }).timeout(120_000)

  for (const script of ['main.js', 'demo.js'])
    it(`leaves no ${script} behind when the shell of npm ends before the service has loaded`, async () => {
      const hooks = `export const resolve = (name, context, next) => {
        const parent = process.ppid
        if (name.endsWith('/service/run.js')) process.kill(parent, 'SIGKILL')
        while (name.endsWith('/service/run.js') && process.ppid === parent);
        return next(name, context)
      }`
      const hooksUrl = JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)
      const NODE_OPTIONS = importing(`import { register } from 'node:module'; register(${hooksUrl})`)
      const start = `${JSON.stringify(process.execPath)} apps/dist/commands/${script} & echo "pid $!"; wait`
      const environment = { PORT: '0', DATA_DIR: '', STORAGE: 'memory', ADMIN_PORT: '', npm_lifecycle_event: 'start' }
      const { ended, printed } = run('sh', ['-c', start], root, { ...environment, NODE_OPTIONS })
      const pid = Number(await printed(/^pid (\d+)$/m))
      const killing = setTimeout(() => process.kill(pid, 'SIGKILL'), 10_000)
      expect(await ended.finally(() => clearTimeout(killing))).to.contain('"msg":"stopped"')
    })
})

describe('A start that fails for an unknown reason', () => {
  it('ends with 1, and names the cause', async () => {
    const hooks = `export const resolve = (name, context, next) => {
      if (name.endsWith('/metrics/prometheus.js')) throw new Error('no metrics')
      return next(name, context)
    }`
    const hooksUrl = JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)
    const NODE_OPTIONS = importing(`import { register } from 'node:module'; register(${hooksUrl})`)
    const environment = { PORT: '0', DATA_DIR: '', STORAGE: 'memory', ADMIN_PORT: '0', NODE_OPTIONS }
    const { child, ended } = run(process.execPath, ['apps/dist/commands/main.js'], root, environment)
    const killing = setTimeout(() => child.kill('SIGKILL'), 10_000)
    expect(await ended.finally(() => clearTimeout(killing)))
      .to.contain('no metrics')
      .and.contain('"exitCode":1')
  })
})

describe('npm run dev', () => {
  it('restarts the service when a source changes, and ends the service and the compiler on SIGINT', async () => {
    const { folder, remove } = await copyWorkspace()
    const { child, ended, printed } = run(process.execPath, ['apps/dist/commands/dev.js'], folder, { PORT: '0' })
    try {
      await Promise.all([printed(listening), printed(/Found 0 errors/)])
      const source = join(folder, 'apps/src/service/announce.ts')
      const changed = (await readFile(source, 'utf8')).replace(`'listening'`, `'listens again'`)
      // repeatedly, because the compiler misses changes while it starts; a later change would restart the service again
      const changes = setInterval(() => writeFile(source, changed), 100)
      await printed(/File change detected/).finally(() => clearInterval(changes))
      const url = await printed(/"url":"([^"]+)".*"listens again"/)
      expect((await fetch(`${url}/api/snippets/`)).status).to.equal(200)
      child.kill('SIGINT')
      await ended
      await expectStopped(url)
    } finally {
      child.kill('SIGTERM')
      await ended
      await remove()
    }
  }).timeout(120_000)
})
