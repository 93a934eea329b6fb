import { attackCase, describeAttack } from '../../../support/attack/attack-case.js'
import { openLink } from '../../measuring/link.js'
import type { AttackOutput } from '../clients/attack.js'
import { get } from '../clients/requests.js'
import { deadline } from '../clients/timing.js'
import type { SoakService } from '../processes/soak-service.js'
import { type Context, type Finding, none, type Scenario } from '../scenario.js'

/** After so many exits of the service the attack is given up. */
const maxExits = 5

type Tally = { done: number; exits: number; logged: number; examples: string[]; statuses: Record<string, number> }

export const rawBytes: Scenario = {
  name: 'raw-bytes',
  run: async context => {
    const tally: Tally = { done: 0, exits: 0, logged: 0, examples: [], statuses: {} }
    const time = deadline(context.ms)
    let answers = true
    while (tally.done < context.cases && tally.exits < maxExits && !time.isOver()) {
      const service = await context.start()
      answers = await attackOnce(service, context, tally, time.left())
      await service.stop()
    }
    return findings(context, tally, answers)
  },
}

const workers = 60

/** Goes on where the attack stopped before, until all is done or the service has ended. */
const attackOnce = async (service: SoakService, context: Context, tally: Tally, ms: number): Promise<boolean> => {
  const { port, adminPort, log } = service
  const { seed, cases } = context
  const input = { ports: { port, adminPort }, firstSeed: seed + tally.done, cases: cases - tally.done, workers, ms }
  const output = await context.client('attack', input)
  addTo(tally, output)
  const link = openLink(port, 5000)
  const outcome = await link.ask(get('/api/snippets/config/'))
  link.close()
  if (!service.isRunning()) {
    tally.exits++
    console.log(`The service ended: ${log.examples().join('\n')}`)
    await showCulprits(context, output.suspects, ms)
  }
  tally.logged += log.count('fatal') + log.count('foreign')
  tally.examples.push(...log.examples())
  return outcome.how === 'answered' && outcome.status === 200
}

/** Repeats the last connections one at a time, and prints those after which the service has ended again. */
const showCulprits = async (context: Context, seeds: readonly number[], ms: number): Promise<void> => {
  const service = await context.start()
  const { port, adminPort } = service
  const firstSeed = Math.min(...seeds)
  const cases = Math.max(...seeds) - firstSeed + 1
  const input = { ports: { port, adminPort }, firstSeed, cases, workers: 1, ms: Math.min(ms, 10_000) }
  const { suspects } = await context.client('attack', input)
  await service.stop()
  const range = `One of the seeds ${firstSeed} to ${firstSeed + cases - 1} ended the service`
  if (suspects.length === 0) console.log(`${range}, but not when they came one at a time.`)
  else console.log([`${range}; one at a time it ended after:`, ...suspects.map(describe)].join('\n  '))
}

const describe = (seed: number): string => describeAttack(attackCase(seed))

const addTo = (tally: Tally, { done, statuses }: AttackOutput): void => {
  tally.done += done
  for (const [status, count] of Object.entries(statuses)) tally.statuses[status] = (tally.statuses[status] ?? 0) + count
}

const findings = ({ cases }: Context, tally: Tally, answers: boolean): readonly Finding[] => [
  {
    goal: `${cases} connections with raw bytes: 0 exits`,
    measured: `${tally.done} connections, ${tally.exits} exits`,
    met: tally.done >= cases && tally.exits === 0,
  },
  none(
    'fatal lines in the log',
    tally.logged,
    tally.examples[0] === undefined ? '' : `: ${tally.examples[0].slice(0, 160)}`,
  ),
  none('answers with 500', tally.statuses[500] ?? 0),
  { goal: 'answers afterwards', measured: answers ? 'answers' : 'no answer', met: answers },
]
