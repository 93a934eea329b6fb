import Mocha from 'mocha'
import { httpContract } from '../contracts/http/http-contract.js'

const usage = 'Usage: npm run contract -- http://host:port'

/** The address of a service, or a sentence that says what is wrong with it. */
const originOf = (args: readonly string[]): { origin: string } | { fault: string } => {
  const [text, ...others] = args
  if (text === undefined) return { fault: `Which service? ${usage}` }
  if (others.length > 0) return { fault: `One service at a time, please. ${usage}` }
  if (!URL.canParse(text)) return { fault: `«${text}» is not a URL. ${usage}` }
  const { protocol, origin, pathname, search } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') return { fault: `«${text}» is not an HTTP address. ${usage}` }
  if (pathname !== '/' || search !== '') return { fault: `Leave out what follows the host in «${text}». ${usage}` }
  return { origin }
}

/** What keeps the service from being looked at; undefined when it answers as this service does. */
const absence = async (origin: string): Promise<string | undefined> => {
  try {
    const answer = await fetch(`${origin}/api/snippets/config/`, { signal: AbortSignal.timeout(10_000) })
    if (answer.ok) return undefined
    return `What answers at ${origin} is not this service: ${answer.status} for /api/snippets/config/.`
  } catch (error) {
    const { cause } = error as Error
    const reason = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
    return `Nothing answers at ${origin}${reason}. Is the service running?`
  }
}

const run = async (origin: string): Promise<boolean> => {
  const mocha = new Mocha({ ui: 'bdd', reporter: 'dot', timeout: 60_000 })
  // declares describe and it for what is not loaded from a file
  mocha.suite.emit('pre-require', globalThis, '', mocha)
  let account = 'the cleaning up did not end, so some snippets with «contract» in their language may be left'
  httpContract(origin, {
    url: () => origin,
    onCleanUp: (made, left) => {
      account = `${made} snippets were made and ${made - left} of them removed: ${left === 0 ? 'nothing' : left} left behind`
    },
  })
  return new Promise(resolve => {
    let interrupted = false
    const runner = mocha.run(failures => {
      const { passes = 0, pending = 0 } = runner.stats ?? {}
      const skipped = pending > 0 ? `, ${pending} skipped` : ''
      const early = interrupted ? ' (interrupted)' : ''
      console.log(`${origin}: ${passes} passed, ${failures} failed${skipped}${early}; ${account}.`)
      resolve(failures === 0 && !interrupted)
    })
    process.once('SIGINT', () => {
      interrupted = true
      // the hooks that remove what was made still run
      runner.abort()
    })
  })
}

const checked = originOf(process.argv.slice(2))
const fault = 'fault' in checked ? checked.fault : await absence(checked.origin)
if (fault !== undefined) {
  console.error(fault)
  process.exitCode = 1
} else if ('origin' in checked) {
  process.exitCode = (await run(checked.origin)) ? 0 : 1
}
