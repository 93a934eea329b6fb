import { constants } from 'node:os'
import { parseArgs } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { exitUsage, exitWith } from '../exit.js'
import { showProgress } from '../transfer/progress.js'
import { addressKinds, type TransferOptions, transfer } from '../transfer/transfer-rows.js'

const usage = `Usage: npm run transfer -- --from SOURCE --to TARGET

Copies every snippet as it is stored, the users, and the largest id that was ever assigned.
SOURCE is ${addressKinds}, or a backup: a file whose name ends in .ndjson.
TARGET is ${addressKinds}. It must be empty.
Stop the service that uses a directory first.
Other users of the machine can read arguments: name a URL with a password in TRANSFER_FROM or TRANSFER_TO instead.`

/** Parses the arguments. Left is the usage, which omits them, because a URL may hold a password. */
const readOptions = (args: string[]): E.Either<string, TransferOptions> => {
  try {
    const options = { from: { type: 'string' }, to: { type: 'string' } } as const
    const { TRANSFER_FROM = '', TRANSFER_TO = '' } = process.env
    const { from = TRANSFER_FROM, to = TRANSFER_TO } = parseArgs({ args, options }).values
    return from === '' || to === '' || from === to ? E.left(usage) : E.right({ from, to })
  } catch {
    return E.left(usage)
  }
}

const interrupted = 'Interrupted. Drop the target if it is a database that was empty before, then repeat the transfer.'

// a reader of the progress that leaves must not end the transfer
process.stderr.on('error', () => {})
const options = pipe(readOptions(process.argv.slice(2)), E.getOrElseW(exitWith(exitUsage)))
const counts = { copied: 0, compared: 0 }
const stopProgress = showProgress(process.stderr, counts)
// once, so that a second signal ends an exit that waits for a read or write
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    stopProgress()
    exitWith(128 + constants.signals[signal])(interrupted)
  })
const result = await transfer(options, counts)()
stopProgress()
const rows = pipe(result, E.getOrElseW(exitWith(1)))
process.stderr.write(`Rows transferred and compared: ${rows}\n`)
