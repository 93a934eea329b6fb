import { readOrExplain, table, wholeNumber } from './command.js'
import { pinLoad } from './measuring/measured-process.js'
import { crowdScenarios } from './soak/crowd-scenarios.js'
import { endurance } from './soak/endurance-scenario.js'
import { mongo } from './soak/mongo-scenario.js'
import { overload } from './soak/overload-scenario.js'
import { rawBytes } from './soak/raw-bytes-scenario.js'
import { stopping } from './soak/stopping-scenario.js'
import { diskFull, searches, suspended } from './soak/storage-scenarios.js'
import { fullOfHeads, keepAlive, lists, packets, slowClients, unfinishedBodies } from './soak/waiting-scenarios.js'
import { worstRequest } from './soak/worst-request-scenario.js'

const scenarios = [
  rawBytes,
  ...crowdScenarios,
  worstRequest,
  unfinishedBodies,
  fullOfHeads,
  packets,
  lists,
  keepAlive,
  overload,
  searches,
  suspended,
  diskFull,
  mongo,
  stopping,
  slowClients,
  endurance,
]
const names = scenarios.map(({ name }) => name)
const usage = `Usage: npm run soak -- [NAME ...] [MINUTES of endurance], where NAME is one of ${names.join(', ')}`

const { minutes, chosen } = readOrExplain(usage, () => {
  const args = process.argv.slice(2)
  const minutes = args.find(text => /^\d/.test(text))
  const chosenNames = args.filter(text => text !== minutes)
  const unknown = chosenNames.find(name => !names.includes(name))
  if (unknown !== undefined) throw new Error(`There is no scenario ${unknown}.`)
  const chosen = scenarios.filter(({ name }) => chosenNames.length === 0 || chosenNames.includes(name))
  return { minutes: wholeNumber('MINUTES', minutes ?? '2'), chosen }
})

pinLoad()
const lines: string[][] = []
let isMet = true
for (const { name, run } of chosen) {
  console.error(`${name} ...`)
  const findings = await run(minutes).catch((error: unknown) => {
    console.error(error)
    return [{ what: 'runs to its end', measured: 'no', allowed: 'yes', isMet: false }]
  })
  for (const { what, measured, allowed, isMet } of findings)
    lines.push([name, what, measured, allowed, isMet ? 'pass' : 'fail'])
  isMet &&= findings.every(finding => finding.isMet)
}
console.log(table(['scenario', '', 'measured', 'allowed', ''], lines))
process.exit(isMet ? 0 : 1)
