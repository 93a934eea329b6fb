import * as E from 'fp-ts/lib/Either.js'
import { exitConfig, exitUsage, exitWithMessage } from '../exit.js'
import { readEnvironment } from '../settings/env-file.js'
import { addToken, readTokenOptions } from '../tokens/add-token.js'

const options = readTokenOptions(process.argv.slice(2))
if (E.isLeft(options)) exitWithMessage(exitUsage, options.left)
const environment = readEnvironment()
if (E.isLeft(environment)) exitWithMessage(exitConfig, environment.left)
const token = addToken(options.right, environment.right.API_TOKENS_FILE)
if (E.isLeft(token)) exitWithMessage(1, token.left)
process.stderr.write('This is the token; it is not shown again. Send SIGHUP to a running service to load it.\n')
process.stdout.write(`${token.right}\n`)
