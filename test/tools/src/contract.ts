import { parseArgs } from 'node:util'
import { httpContract } from '@snippets/test/contracts/http/http-contract.js'
import { mochaHooks } from '@snippets/test/runner/root-hooks.js'
import { errorText } from '@snippets/test/support/error-text.js'
import Mocha from 'mocha'
import { readOrExplain } from './command.js'

const origin = readOrExplain('Usage: npm run contract -- http://host:port', () => {
  const { positionals } = parseArgs({ allowPositionals: true })
  const { protocol, origin } = new URL(positionals[0] ?? '')
  if (protocol !== 'http:') throw new Error('The contract speaks HTTP without TLS.')
  return origin
})

/** Throws if the contract cannot run against the service. */
const checkService = async (): Promise<void> => {
  const config = `${origin}/api/snippets/config/`
  const { status } = await fetch(config, { signal: AbortSignal.timeout(10_000) }).catch(error => {
    throw new Error(`Nothing responds at ${origin} (${errorText(error)}). Is the service running?`)
  })
  if (status !== 200) throw new Error(`${origin} is not this service: it returned ${status} for GET ${config}.`)
}

const run = (): void => {
  const mocha = new Mocha({ ui: 'bdd', reporter: 'dot', timeout: 60_000, rootHooks: mochaHooks })
  // defines the global describe and it; mocha does so only when it loads a file
  mocha.suite.emit('pre-require', globalThis, '', mocha)
  httpContract(origin, () => origin)
  let interrupted = ''
  const runner = mocha.run(failures => {
    const { passes = 0, pending = 0 } = runner.stats ?? {}
    console.log(`${origin}: ${passes} passed, ${failures} failed, ${pending} skipped${interrupted}.`)
    console.log('Snippets left by an error in a hook have "contract" in their language.')
    process.exitCode = failures === 0 && interrupted === '' ? 0 : 1
  })
  process.once('SIGINT', () => {
    interrupted = ' (interrupted)'
    // the hooks that delete the snippets still run
    runner.abort()
  })
}

try {
  await checkService()
  run()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
