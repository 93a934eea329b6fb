// Prepares a clone: checks the version of Node, installs the locked dependencies, builds.
// Written in syntax that Node 12 can parse, so that an old Node prints a sentence instead of a syntax error.
const root = `${__dirname}/..`

const oldestNode = require('../package.json').engines.node.replace('>=', '')

const nodeComplaint = version => {
  const [major, minor] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = oldestNode.split('.').map(Number)
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return ''
  return `Node.js ${oldestNode} or newer is required, but this is ${version}. Install a newer version from https://nodejs.org and try again.`
}

const giveUp = why => {
  console.error(why)
  process.exit(1)
}

/** Prints nothing unless the command fails. */
const run = (what, command, args, options) => {
  const { spawnSync } = require('node:child_process')
  const { error, status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  })
  if (error || status !== 0) giveUp(`${stdout || ''}${stderr || ''}${what} failed${error ? `: ${error.message}` : '.'}`)
}

const textOf = file => {
  const { readFileSync } = require('node:fs')
  try {
    return readFileSync(`${root}/${file}`, 'utf8').replace(/\r\n/g, '\n')
  } catch (_) {
    return ''
  }
}

/** pnpm keeps a copy of the lockfile that it installed from. */
const isInstalled = () => textOf('node_modules/.pnpm/lock.yaml') === textOf('pnpm-lock.yaml')

const install = () => {
  console.error('Installing dependencies ...')
  run('Installing dependencies', 'npx', ['--yes', 'pnpm@12', 'install', '--frozen-lockfile', '--prefer-offline'], {
    // CI keeps pnpm from asking questions; on Windows npx is a script, which needs a shell
    env: { ...process.env, CI: 'true' },
    shell: process.platform === 'win32',
  })
}

const build = package_ => run('The build', process.execPath, ['node_modules/typescript/bin/tsc', '-b', package_])

if (require.main === module) {
  const complaint = nodeComplaint(process.versions.node)
  if (complaint) giveUp(complaint)
  if (!isInstalled()) install()
  if (process.argv[2] !== '--install-only') build(process.argv[2] || 'apps')
}

module.exports = { nodeComplaint }
