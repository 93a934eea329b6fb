import { constants } from 'node:os'
import { parseArgs } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { exitUsage, exitWithMessage } from '../exit.js'
import { addressKinds, transfer } from '../transfer/transfer-rows.js'

const usage = `Usage: npm run transfer -- --from SOURCE --to TARGET

Copies every snippet as it is stored, the users, and the largest id that was ever assigned.
SOURCE is ${addressKinds}, or a backup: a file whose name ends in .ndjson.
TARGET is ${addressKinds}. It must be empty.
Stop the service that uses a directory first.
Other users of the machine can read arguments: name a URL with a password in TRANSFER_FROM or TRANSFER_TO instead.`

/** Parses the arguments. Returns undefined if they are wrong. The usage omits them: a URL may hold a password. */
const readOptions = (args: string[]) => {
  try {
    const options = { from: { type: 'string' }, to: { type: 'string' } } as const
    const { TRANSFER_FROM = '', TRANSFER_TO = '' } = process.env
    const { from = TRANSFER_FROM, to = TRANSFER_TO } = parseArgs({ args, options }).values
    return from === '' || to === '' || from === to ? undefined : { from, to }
  } catch {
    return undefined
  }
}

const interrupted =
  'Interrupted. If the target was empty before, drop it if it is a database, then repeat the transfer.'

const options = readOptions(process.argv.slice(2))
if (options === undefined) exitWithMessage(exitUsage, usage)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => exitWithMessage(128 + constants.signals[signal], interrupted))
const rows = await transfer(options)()
if (E.isLeft(rows)) exitWithMessage(1, rows.left)
process.stderr.write(`Rows transferred and compared: ${rows.right}\n`)
