import { refuseArguments } from '../operator.js'
import { run } from '../run.js'
import { readEnvFile } from '../settings/environment.js'

refuseArguments(process.argv.slice(2))
await run(process.env, readEnvFile())
