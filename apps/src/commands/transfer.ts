import { parseArgs } from 'node:util'
import { errorMessage } from '@snippets/domain/values/error.js'
import { exitUsage, exitWithMessage } from '../operator-messages.js'
import { addressKinds, type TransferOptions, transfer } from '../transfer/transfer-rows.js'

const usage = `Usage: npm run transfer -- --from SOURCE --to TARGET [--merge]

Copies every snippet as it is stored, the users, and the largest id that was ever assigned.
SOURCE and TARGET are ${addressKinds.join(', ')}, or a file whose name ends in .ndjson.
Stop the service that uses a directory first. A target file must be new. Any other target must be empty, unless --merge is
given: then it keeps its rows, and a row that differs fails the final comparison. Repeat an interrupted transfer with --merge,
or to a new file.
Other users of the machine can read arguments: name a URL with a password in TRANSFER_FROM or TRANSFER_TO instead.`

/** Parses the arguments. Undefined if they are wrong. The usage does not repeat them: a URL may hold a password. */
const readOptions = (args: string[]): TransferOptions | undefined => {
  try {
    const options = { from: { type: 'string' }, to: { type: 'string' }, merge: { type: 'boolean' } } as const
    const { TRANSFER_FROM = '', TRANSFER_TO = '' } = process.env
    const { from = TRANSFER_FROM, to = TRANSFER_TO, merge = false } = parseArgs({ args, options }).values
    return from === '' || to === '' || from === to ? undefined : { from, to, merge }
  } catch {
    return undefined
  }
}

const options = readOptions(process.argv.slice(2))
if (options === undefined) exitWithMessage(exitUsage, usage)
try {
  const progress = () => {}
  const rows = await transfer(options, progress)
  process.stderr.write(`Rows transferred and compared: ${rows}\n`)
} catch (error) {
  exitWithMessage(1, errorMessage(error))
}
