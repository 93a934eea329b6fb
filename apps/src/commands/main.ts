import { run } from '../service/run.js'

await run()
