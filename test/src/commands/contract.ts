import { wrongUse } from '@snippets/apps/exit-codes.js'
import Mocha from 'mocha'
import { httpContract } from '../contracts/http/http-contract.js'

const usage = 'Usage: npm run contract -- http://host:port'

/** Reads the service's origin from the arguments, or says what is wrong with them. */
const originOf = (args: readonly string[]): { origin: string } | { fault: string } => {
  const [text, ...others] = args
  if (text === undefined) return { fault: `Name a service. ${usage}` }
  if (others.length > 0) return { fault: `Name only one service. ${usage}` }
  if (!URL.canParse(text)) return { fault: `"${text}" is not a URL. ${usage}` }
  const { protocol, origin, pathname, search } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') return { fault: `"${text}" is not an HTTP URL. ${usage}` }
  if (pathname !== '/' || search !== '') return { fault: `"${text}" must end after the host and port. ${usage}` }
  return { origin }
}

/** Why the contract cannot run against this origin, or undefined if it can. */
const obstacle = async (origin: string): Promise<string | undefined> => {
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

const run = async (origin: string): Promise<boolean> => {
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
  return new Promise(resolve => {
    let interrupted = false
    const runner = mocha.run(failures => {
      const { passes = 0, pending = 0 } = runner.stats ?? {}
      const skipped = pending > 0 ? `, ${pending} skipped` : ''
      const early = interrupted ? ' (interrupted)' : ''
      console.log(`${origin}: ${passes} passed, ${failures} failed${skipped}${early}; ${cleanUp}.`)
      resolve(failures === 0 && !interrupted)
    })
    process.once('SIGINT', () => {
      interrupted = true
      // the hooks that delete the snippets still run
      runner.abort()
    })
  })
}

const checked = originOf(process.argv.slice(2))
if ('fault' in checked) {
  console.error(checked.fault)
  process.exitCode = wrongUse
} else {
  const fault = await obstacle(checked.origin)
  if (fault !== undefined) console.error(fault)
  process.exitCode = fault === undefined && (await run(checked.origin)) ? 0 : 1
}
