import { existsSync } from 'node:fs'
import { wrongUse } from '@snippets/apps/exit-codes.js'
import { isLeft } from 'fp-ts/lib/Either.js'
import { showProgress } from './measuring/progress.js'
import { type Options, readOptions, usage } from './soak/options.js'
import { runClient } from './soak/processes/run-client.js'
import { startSoakService } from './soak/processes/soak-service.js'
import { markdownTable, type Row } from './soak/report.js'
import type { Scenario } from './soak/scenario.js'
import { scenarios } from './soak/scenarios/scenarios.js'

const rows: Row[] = []

const runScenario = async ({ name, run }: Scenario, position: string, options: Options): Promise<void> => {
  const progress = showProgress(() => `${position} ${name}`)
  try {
    const context = { ...options, ms: options.minutes * 60_000, start: startSoakService, client: runClient }
    for (const finding of await run(context)) rows.push({ scenario: name, ...finding })
  } catch (error) {
    const measured = error instanceof Error ? error.message : String(error)
    rows.push({ scenario: name, goal: 'runs to its end', measured, met: false })
  }
  progress.end()
  const missed = rows.filter(({ scenario, met }) => scenario === name && !met)
  console.log(`${position} ${name}: ${missed.length === 0 ? 'pass' : `${missed.length} missed`}`)
}

/** Prints the table, and ends this process with everything that it started. */
const finish = (): never => {
  console.log(`\n${markdownTable(rows)}`)
  process.exit(rows.length > 0 && rows.every(({ met }) => met) ? 0 : 1)
}

const interrupt = (): never => {
  rows.push({ scenario: 'soak', goal: 'runs to its end', measured: 'interrupted', met: false })
  return finish()
}

const refuse = (why: string, exitCode: number): never => {
  console.error(why)
  return process.exit(exitCode)
}

const options = readOptions(
  process.argv.slice(2),
  scenarios.map(({ name }) => name),
)
if (isLeft(options)) refuse(`${options.left}\n${usage}`, wrongUse)
else if (!existsSync('/proc/self/status')) refuse('Soak reads memory from /proc, which only Linux has.', 1)
else {
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  const { only } = options.right
  const chosen = scenarios.filter(({ name }) => only.length === 0 || only.includes(name))
  for (const [index, scenario] of chosen.entries())
    await runScenario(scenario, `${index + 1}/${chosen.length}`, options.right)
  finish()
}
