import Mocha from 'mocha'
import { httpContract } from '../contracts/http/http-contract.js'
import { readOrExplain } from './measuring/command.js'

/** The service's origin. */
const origin = readOrExplain('Usage: npm run contract -- http://host:port', () => {
  const [text, ...others] = process.argv.slice(2)
  if (text === undefined) throw new Error('Name a service.')
  if (others.length > 0) throw new Error('Name only one service.')
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw new Error(`"${text}" is not an HTTP URL.`)
  const { origin, pathname, search } = new URL(text)
  if (pathname !== '/' || search !== '') throw new Error(`"${text}" must end after the host and port.`)
  return origin
})

/** Why the contract cannot run against the service, or undefined if it can. */
const obstacle = async (): Promise<string | undefined> => {
  try {
    const answer = await fetch(`${origin}/api/snippets/config/`, { signal: AbortSignal.timeout(10_000) })
    if (answer.ok) return undefined
    return `${origin} is not this service: it answered ${answer.status} to GET /api/snippets/config/.`
  } catch (error) {
    const { cause } = error as Error
    const reason = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
    return `Nothing answers at ${origin}${reason}. Is the service running?`
  }
}

const run = (): void => {
  const mocha = new Mocha({ ui: 'bdd', reporter: 'dot', timeout: 60_000 })
  // defines the global describe and it, which mocha otherwise does when it loads a file
  mocha.suite.emit('pre-require', globalThis, '', mocha)
  let cleanUp = 'the clean-up did not finish, so snippets with "contract" in their language may be left'
  httpContract(origin, {
    url: () => origin,
    onCleanUp: (made, left) => {
      cleanUp = `${made} snippets created, ${made - left} deleted, ${left} left behind`
    },
  })
  let interrupted = ''
  const runner = mocha.run(failures => {
    const { passes = 0, pending = 0 } = runner.stats ?? {}
    console.log(`${origin}: ${passes} passed, ${failures} failed, ${pending} skipped${interrupted}; ${cleanUp}.`)
    process.exitCode = failures === 0 && interrupted === '' ? 0 : 1
  })
  process.once('SIGINT', () => {
    interrupted = ' (interrupted)'
    // the hooks that delete the snippets still run
    runner.abort()
  })
}

const fault = await obstacle()
if (fault === undefined) run()
else {
  console.error(fault)
  process.exitCode = 1
}
