import { readOrExplain, table, wholeNumber } from './measuring/command.js'
import { pinLoad } from './measuring/measured-process.js'
import { measureSearch } from './scale/search-scale.js'
import { measureService } from './scale/service-scale.js'
import { measureStore } from './scale/store-scale.js'

const count = readOrExplain('Usage: npm run scale -- [SNIPPETS], a million by default', () =>
  wholeNumber('SNIPPETS', process.argv[2] ?? '1000000'),
)

pinLoad()
console.error('the storage alone ...')
const store = await measureStore(count)
console.error('searches ...')
const search = await measureSearch(Math.min(count, 100_000))
console.error('a service with a DATA_DIR ...')
const service = await measureService(count)
console.log(table([`with ${count} snippets`, ''], [...store, ...search, ...service]))
process.exit()
