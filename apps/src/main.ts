import { withEnvFile } from './environment.js'
import { refuseArguments } from './refuse-arguments.js'
import { run } from './run.js'

refuseArguments(process.argv.slice(2))
await run(withEnvFile(process.env, process.cwd()))
