import { run } from './run.js'
import { processEnvironment } from './settings/environment.js'
import { refuseArguments } from './settings/refuse-arguments.js'

refuseArguments(process.argv.slice(2))
await run(processEnvironment())
