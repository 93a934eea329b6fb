import { isLeft } from 'fp-ts/lib/Either.js'
import { processEnvironment } from './settings/environment.js'
import { addToken } from './tokens/add-token.js'

const token = addToken(process.argv.slice(2), processEnvironment().API_TOKENS_FILE)
if (isLeft(token)) {
  process.stderr.write(`${token.left}\n`)
  process.exit(1)
}
process.stderr.write('The token, which is not shown again. A service that is running takes it after a SIGHUP.\n')
process.stdout.write(`${token.right}\n`)
