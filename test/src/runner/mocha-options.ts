import { fileURLToPath } from 'node:url'

export const mochaCommand = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'))

/** More than a usual machine has cores, because many tests wait. */
export const inParallel: readonly string[] = ['--parallel', '--jobs', '4']

export const mochaOptions: readonly string[] = [
  '--require',
  fileURLToPath(new URL('root-hooks.js', import.meta.url)),
  // a storage that does not close would keep the process alive
  ...['--timeout', '20000', '--slow', '2000', '--forbid-only', '--exit'],
]
