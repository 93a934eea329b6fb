import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import Mocha from 'mocha'
import { httpContract } from '../contracts/http/http-contract.js'
import { type KillHarness, killContract } from '../contracts/storage/kill-contract.js'
import { type OutageHarness, outageContract } from '../contracts/storage/outage-contract.js'
import { type RowHarness, rowStoreContract } from '../contracts/storage/row-store-contract.js'
import { type StorageHarness, storageContract } from '../contracts/storage/storage-contract.js'
import { errorText } from '../support/error-text.js'
import { readOrExplain } from './measuring/command.js'
import { mochaHooks } from './root-hooks.js'

/** The subject of a run, and its summary line. */
type Contract = Readonly<{ subject: string; define: () => void; summary: string }>

/** The exports of a module that runs the contracts on a storage. */
type StorageModule = Readonly<{
  storage: StorageHarness
  outages?: OutageHarness
  kills?: KillHarness
  rows?: RowHarness
}>

const usage = 'Usage: npm run contract -- http://host:port, or npm run contract -- --storage harness.js'

const args = readOrExplain(usage, () => {
  const { values, positionals } = parseArgs({ options: { storage: { type: 'string' } }, allowPositionals: true })
  if (values.storage !== undefined) return { module: resolve(process.env.INIT_CWD ?? '.', values.storage) }
  return { origin: new URL(positionals[0] ?? '').origin }
})

const storageContracts = async (path: string): Promise<Contract> => {
  const { storage, outages, kills, rows }: StorageModule = await import(pathToFileURL(path).href)
  if (storage === undefined) throw new Error(`${path} exports no "storage".`)
  const leftOut = Object.entries({ outages, kills, rows }).flatMap(([name, found]) => (found === undefined ? name : []))
  return {
    subject: path,
    define: () => {
      storageContract('it', storage)
      if (outages !== undefined) outageContract('it', outages)
      if (kills !== undefined) killContract('it', kills)
      if (rows !== undefined) rowStoreContract('it', rows)
    },
    summary: leftOut.length === 0 ? 'no contract was left out' : `it exports no ${leftOut.join(' and no ')}`,
  }
}

/** Throws if the contract cannot run against the service. */
const serviceContract = async (origin: string): Promise<Contract> => {
  const config = `${origin}/api/snippets/config/`
  const { status } = await fetch(config, { signal: AbortSignal.timeout(10_000) }).catch(error => {
    throw new Error(`Nothing responds at ${origin} (${errorText(error)}). Is the service running?`)
  })
  if (status !== 200) throw new Error(`${origin} is not this service: it returned ${status} for GET ${config}.`)
  return {
    subject: origin,
    define: () => httpContract(origin, () => origin),
    summary: 'snippets left by an error in a hook have "contract" in their language',
  }
}

const run = ({ subject, define, summary }: Contract): void => {
  const mocha = new Mocha({ ui: 'bdd', reporter: 'dot', timeout: 60_000, rootHooks: mochaHooks })
  // defines the global describe and it; mocha does so only when it loads a file
  mocha.suite.emit('pre-require', globalThis, '', mocha)
  define()
  let interrupted = ''
  const runner = mocha.run(failures => {
    const { passes = 0, pending = 0 } = runner.stats ?? {}
    console.log(`${subject}: ${passes} passed, ${failures} failed, ${pending} skipped${interrupted}; ${summary}.`)
    process.exitCode = failures === 0 && interrupted === '' ? 0 : 1
  })
  process.once('SIGINT', () => {
    interrupted = ' (interrupted)'
    // the hooks that delete the snippets still run
    runner.abort()
  })
}

try {
  run(await ('origin' in args ? serviceContract(args.origin) : storageContracts(args.module)))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
