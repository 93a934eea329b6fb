import { readOrExplain, table, wholeNumber } from './measuring/command.js'
import { pinLoad } from './measuring/measured-process.js'
import { measureStore } from './scale/store-scale.js'

const count = readOrExplain('Usage: npm run scale -- [SNIPPETS], a million by default', () =>
  wholeNumber('SNIPPETS', process.argv[2] ?? '1000000'),
)

pinLoad()
console.log(table([`with ${count} snippets`, ''], await measureStore(count)))
process.exit()
