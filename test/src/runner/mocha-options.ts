import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

export const mochaCommand = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'))

/** One job more than there are cores, because many tests wait. With more jobs, databases would answer late. */
export const inParallel: readonly string[] = ['--parallel', '--jobs', String(availableParallelism() + 1)]

export const mochaOptions: readonly string[] = [
  '--require',
  fileURLToPath(new URL('root-hooks.js', import.meta.url)),
  // a storage that does not close would keep the process alive
  ...['--timeout', '20000', '--slow', '2000', '--forbid-only', '--exit'],
]
