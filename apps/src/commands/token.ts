import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { exitConfig, exitUsage, exitWith } from '../exit.js'
import { readEnvironment } from '../settings/env-file.js'
import { codeTextOf } from '../text-file.js'
import { addToken, readTokenOptions } from '../tokens/add-token.js'

const options = pipe(readTokenOptions(process.argv.slice(2)), E.getOrElseW(exitWith(exitUsage)))
const { API_TOKENS_FILE } = pipe(readEnvironment(), E.getOrElseW(exitWith(exitConfig)))
const token = pipe(addToken(options, API_TOKENS_FILE), E.getOrElseW(exitWith(1)))
process.stdout.write(`${token}\n`, error => {
  if (error)
    exitWith(1)(
      `The token cannot be shown (${codeTextOf(error)}). Delete the line of ${options.name} in API_TOKENS_FILE.`,
    )
  process.stderr.write('This is the token; it is not shown again. Send SIGHUP to a running service to load it.\n')
})
