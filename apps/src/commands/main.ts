import { refuseArguments } from '../operator.js'
import { run } from '../run.js'
import { processEnvironment } from '../settings/environment.js'

refuseArguments(process.argv.slice(2))
await run(processEnvironment())
