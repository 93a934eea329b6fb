import * as E from 'fp-ts/lib/Either.js'
import { wrongUse } from './exit-codes.js'
import { amount } from './transfer/amount.js'
import { readOptions, usage } from './transfer/options.js'
import { progressOn } from './transfer/progress.js'
import { transfer } from './transfer/transfer.js'

const options = readOptions(process.argv.slice(2))
if (E.isLeft(options)) {
  process.stderr.write(`${options.left}\n\n${usage}`)
  process.exit(wrongUse)
}
if (options.right === undefined) {
  process.stdout.write(usage)
  process.exit(0)
}
const progress = progressOn(process.stderr)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    progress.end()
    process.stderr.write('Interrupted. A database or a directory keeps what was copied: run it again with --merge.\n')
    process.exit(1)
  })
const result = await transfer(options.right, progress)
progress.end()
process.stderr.write(
  E.isLeft(result)
    ? `${result.left}\n`
    : `Carried over and checked: ${amount(result.right.count, 'row')}, SHA-256 ${result.right.checksum}\n`,
)
process.exitCode = E.isLeft(result) ? 1 : 0
