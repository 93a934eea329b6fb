import { attackCase } from '../../../support/attack/attack-case.js'
import { runAttack } from '../../../support/attack/run-attack.js'
import { deadline, together } from './timing.js'

export type AttackInput = Readonly<{
  ports: Readonly<{ port: number; adminPort: number }>
  firstSeed: number
  cases: number
  /** How many are under way at a time. */
  workers: number
  ms: number
}>

export type AttackOutput = Readonly<{
  done: number
  /** The statuses of all answers, with how often each was seen. */
  statuses: Readonly<Record<string, number>>
  /** If nothing listened any more: the seeds of the last connections, of which one ended the service. */
  suspects: readonly number[]
}>

/** One case of five goes to the admin port. */
const portFor = (seed: number, { port, adminPort }: AttackInput['ports']): number => (seed % 5 === 0 ? adminPort : port)

export const attack = async ({ ports, firstSeed, cases, workers, ms }: AttackInput): Promise<AttackOutput> => {
  const time = deadline(ms)
  const statuses: Record<string, number> = {}
  const recent: number[] = []
  let next = firstSeed
  let isGone = false
  await together(workers, async () => {
    while (next < firstSeed + cases && !isGone && !time.isOver()) {
      const seed = next++
      recent.push(seed)
      if (recent.length > 2 * workers + 2) recent.shift()
      const result = await runAttack(portFor(seed, ports), attackCase(seed))
      for (const status of result.statuses) statuses[status] = (statuses[status] ?? 0) + 1
      if (!result.connected) isGone = true
    }
  })
  return { done: next - firstSeed, statuses, suspects: isGone ? recent : [] }
}
