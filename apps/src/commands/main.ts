import { rejectArguments } from '../operator-messages.js'
import { run } from '../service/run.js'
import { readEnvFile } from '../settings/env-file.js'

rejectArguments(process.argv.slice(2))
await run(process.env, readEnvFile())
