import { parseArgs } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { hideCredentials } from '../hide-credentials.js'

export const usage = `Usage: npm run transfer -- --from SOURCE --to TARGET [--merge]

Carries every snippet over with its id, version and created_at, the users, and the largest id that was ever assigned.
SOURCE and TARGET are each one of
  mongodb://...      a database
  a directory        one that DATA_DIR names; the service must not run on it meanwhile
  a file .ndjson     one line per row; - means standard input or output

With --to - run it as npm run --silent transfer: otherwise npm prints lines of its own on standard output.

The target must be empty. With --merge it need not be: rows that it has already are compared, and one that differs ends
the transfer. No row is ever overwritten, so an interrupted transfer can be run again with --merge.
`

export type TransferOptions = Readonly<{ from: string; to: string; merge: boolean }>

/** Undefined when help is asked for. Left is a sentence. */
export const readOptions = (args: readonly string[]): E.Either<string, TransferOptions | undefined> => {
  const options = {
    from: { type: 'string' },
    to: { type: 'string' },
    merge: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const
  try {
    const { values, tokens } = parseArgs({ args: [...args], options, tokens: true })
    const { from = '', to = '', merge = false, help } = values
    if (help) return E.right(undefined)
    // Node would take the last
    if (isTwice('from', tokens) || isTwice('to', tokens)) return E.left('--from and --to are needed once each.')
    if (from === '' || to === '') return E.left('Both --from and --to are needed.')
    if (from === to && from !== '-') return E.left('--from and --to are the same.')
    return E.right({ from, to, merge })
  } catch (error) {
    return E.left(sentenceOf(error instanceof Error ? error.message : String(error), args))
  }
}

type Token = Readonly<{ kind: string; name?: string }>

const isTwice = (name: string, tokens: readonly Token[]): boolean =>
  tokens.filter(token => token.kind === 'option' && token.name === name).length > 1

/** Node cuts an option at its `=`, which may be in the middle of a password. */
const sentenceOf = (message: string, args: readonly string[]): string => {
  const [, what, quoted = ''] = /^(Unknown option|Unexpected argument) '([^']*)/.exec(message) ?? []
  if (what === undefined) return `${message.split('\n')[0]?.replace(/\.$/, '')}.`
  const arg = args.find(text => text.startsWith(quoted)) ?? ''
  return `${what} '${arg.includes('@') ? hideCredentials(arg) : quoted}'.`
}
