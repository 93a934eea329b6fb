import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { storageNames } from '@snippets/apps/settings/storage-settings.js'
import { copyWorkspace } from '@snippets/test/support/workspace-copy.js'
import { root } from '@snippets/test/support/workspace-root.js'
import { readOrExplain } from './command.js'

const usage =
  'Usage: npm run mutate -- PATH, which is a package or a file of its sources, such as domain/src/queries/page.ts. For a storage with a database, set the variables that its tests need, such as MONGODB_URL.'

/** The in-process tests that kill the mutants of a package, by the prefixes of their paths. */
const testsOf: Readonly<Record<string, readonly string[]>> = {
  domain: ['domain/', 'memory/storage.', 'http/contract.'],
  application: [
    'application/',
    'apps/transfer.',
    'memory/storage.',
    'http/contract.',
    'http/failures.',
    'http/idempotency.',
  ],
  'remote-storage': ['remote-storage/', ...storageNames.map(name => `${name}/connection/`)],
  'adapters-http': ['http/', 'apps/admin.', 'apps/metrics.', 'apps/service.', 'apps/tokens.'],
  apps: ['apps/'],
  ...Object.fromEntries(storageNames.map(name => [`adapters-${name}`, [`${name}/`]])),
}

/** Slow tests, tests that start other processes, and tests that build the workspace, which removes the mutants. */
const leftOut =
  /^(?:\w+\/(?:faults\/|http\.|replica-set\.)|apps\/(?:logs\/log-pipes|memory-ceiling|npm-scripts|process)\.)/

const { path, prefixes } = readOrExplain(usage, () => {
  const [path = ''] = process.argv.slice(2)
  const prefixes = testsOf[path.split('/')[0] ?? '']
  if (prefixes === undefined || !existsSync(join(root, path))) throw new Error(`There are no sources at "${path}".`)
  return { path, prefixes }
})

const { folder, remove } = await copyWorkspace()
const modules = join(folder, 'test/tools/node_modules')
const compiled = path.replace(/^([^/]+)(?:\/src)?/, '$1/dist').replace(/\.ts$/, '.js')
const tests = readdirSync(join(folder, 'test/src'), { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.test.ts') && !leftOut.test(file) && prefixes.some(name => file.startsWith(name)))
  .map(file => join(folder, 'test/dist', file.replace(/ts$/, 'js')))
const config = {
  mutate: [compiled.endsWith('.js') ? compiled : `${compiled}/**/*.js`],
  // the package names mocha 11, because the runner for mocha 12 needs Node.js 22
  testRunner: 'mocha',
  plugins: [join(modules, '@stryker-mutator/mocha-runner/dist/src/index.js')],
  mochaOptions: { spec: tests, require: [join(folder, 'test/dist/runner/root-hooks.js')] },
  coverageAnalysis: 'perTest',
  // static code runs once, when its module is loaded, so each of its mutants would need a run of all tests
  ignoreStatic: true,
  // links between the packages lead to the copy, not to a sandbox inside it
  inPlace: true,
  concurrency: 2,
  tempDirName: 'reports/mutate',
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { reportTests: false, reportMutants: true, logTests: false },
}
writeFileSync(join(folder, 'mutate.json'), JSON.stringify(config))
const stryker = join(modules, '@stryker-mutator/core/bin/stryker.js')
const { status } = spawnSync(process.execPath, [stryker, 'run', 'mutate.json'], { cwd: folder, stdio: 'inherit' })
await remove()
process.exitCode = status ?? 1
