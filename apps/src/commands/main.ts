import { rejectArguments } from '../exit.js'
import { run } from '../service/run.js'
import { readEnvironment } from '../settings/env-file.js'

rejectArguments(process.argv.slice(2))
await run(readEnvironment())
