import { run } from './run.js'
import { withEnvFile } from './settings/environment.js'
import { refuseArguments } from './settings/refuse-arguments.js'

refuseArguments(process.argv.slice(2))
await run(withEnvFile(process.env, process.cwd()))
