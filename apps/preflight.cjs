// Checks the version of Node, installs the locked dependencies and builds. Also bundles, and updates the lockfile.
// Written in syntax that Node 12 can parse, so that an old Node prints a sentence instead of a syntax error.
const root = `${__dirname}/..`

const { engines } = require('../package.json')
const [oldestNode, unsupportedMajor] = engines.node.match(/[\d.]+/g)

const unsupportedNodeMessage = version => {
  const [major, minor] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = oldestNode.split('.').map(Number)
  const isNewEnough = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
  if (isNewEnough && major < unsupportedMajor) return ''
  return `Node.js ${oldestNode} to ${unsupportedMajor - 1} is required, but this is ${version}. Install such a version from https://nodejs.org and try again.`
}

const fail = message => {
  console.error(message)
  process.exit(1)
}

/** Runs a command and shows its output on stderr while it runs. */
const run = (step, command, args, options) => {
  const { spawnSync } = require('node:child_process')
  const { error, status } = spawnSync(command, args, Object.assign({ cwd: root, stdio: ['ignore', 2, 2] }, options))
  if (error || status !== 0) fail(`${step} failed${error ? `: ${error.message}` : '.'}`)
}

const textOf = file => {
  const { readFileSync } = require('node:fs')
  try {
    return readFileSync(`${root}/${file}`, 'utf8')
  } catch (_) {
    return ''
  }
}

const lockfile = 'pnpm-lock.yaml'

/** A copy of the lockfile, written after installing only what the service needs. */
const installedForApps = 'node_modules/.installed-for-apps.yaml'

/** Tells whether the installed dependencies match the lockfile. After an installation pnpm keeps a copy of it. */
const isInstalled = packageName =>
  ['node_modules/.pnpm/lock.yaml']
    .concat(packageName === 'apps' ? installedForApps : [])
    .some(copy => textOf(copy) === textOf(lockfile))

/** Runs pnpm with npm's own script: on Windows, npm and npx are batch files, which need a shell. */
const runPnpm = (step, args) => {
  // `CI` stops pnpm from asking questions
  const env = Object.assign({}, process.env, { CI: 'true', npm_config_update_notifier: 'false' })
  // with `--silent`, npm and pnpm would hide errors
  delete env.npm_config_loglevel
  const script = env.npm_execpath || ''
  const [command, ...first] = /npm-cli\.js$/.test(script) ? [process.execPath, script] : ['npm']
  run(step, command, first.concat('exec', '--yes', '--', `pnpm@${engines.pnpm}`, args), { env })
}

const runInstall = options => runPnpm('Installing dependencies', ['install', '--prefer-offline'].concat(options))

const install = packageName => {
  console.error('Installing dependencies ...')
  runInstall(packageName === 'apps' ? ['--frozen-lockfile', '--filter', '@snippets/apps...'] : ['--frozen-lockfile'])
  if (packageName === 'apps') require('node:fs').copyFileSync(`${root}/${lockfile}`, `${root}/${installedForApps}`)
}

const build = packageName => {
  if (!require('node:fs').existsSync(`${root}/${packageName}/dist`)) console.error('Building ...')
  run('The build', process.execPath, ['node_modules/typescript/bin/tsc', '-b', packageName])
}

const prepare = ([packageName = 'apps', onlyInstall]) => {
  if (!isInstalled(packageName)) install(packageName)
  if (!onlyInstall) build(packageName)
}

/** Builds the service from nothing, and copies it with its production dependencies to a new folder. */
const bundle = ([folder]) => {
  if (folder === undefined) fail('Usage: npm run bundle -- FOLDER')
  const { readdirSync, rmSync } = require('node:fs')
  // the compiler leaves stale files, and would write into the files of older bundles, which are links to these
  for (const entry of readdirSync(root, { withFileTypes: true }))
    if (entry.isDirectory()) rmSync(`${root}/${entry.name}/dist`, { recursive: true, force: true })
  prepare([])
  const { resolve } = require('node:path')
  // relative to the folder in which npm was called
  const target = resolve(process.env.INIT_CWD || '.', folder)
  // by default pnpm links the files, and a later build would change the bundle
  const deploy = ['--config.package-import-method=copy', '--loglevel=error', '--filter', '@snippets/apps', 'deploy']
  runPnpm('Copying the service', deploy.concat('--prod', '--legacy', target))
}

if (require.main === module) {
  const message = unsupportedNodeMessage(process.versions.node)
  if (message) fail(message)
  const args = process.argv.slice(2)
  if (args[0] === '--update-lockfile') runInstall(['--no-frozen-lockfile'])
  else if (args[0] === '--bundle') bundle(args.slice(1))
  else prepare(args)
}

module.exports = { unsupportedNodeMessage }
