import { setTimeout as wait } from 'node:timers/promises'
import { attackCase } from '../../../support/attack/attack-case.js'
import { runAttack } from '../../../support/attack/run-attack.js'
import { type Link, type Outcome, openLink } from '../../measuring/link.js'
import { get, getAll, getPage, idIn, patch, post, remove } from './requests.js'
import { deadline, together } from './timing.js'

export type MixedInput = Readonly<{ port: number; ms: number; seed: number }>

export type MixedOutput = Readonly<{
  honest: number
  hostile: number
  /** Honest requests that were answered with a 5xx other than 503, or shed with 503. */
  failed: number
  shed: number
  /** How those ended that were not answered in full, and after how many milliseconds. */
  unanswered: readonly string[]
}>

type Counts = { -readonly [K in keyof MixedOutput]: MixedOutput[K] }

const workers = 24

/** Each worker takes four honest steps, then a hostile one. What they create they delete. */
export const mixed = async ({ port, ms, seed }: MixedInput): Promise<MixedOutput> => {
  const time = deadline(ms)
  const counts: Counts = { honest: 0, hostile: 0, failed: 0, shed: 0, unanswered: [] }
  let next = seed
  let isGone = false
  await together(workers, async index => {
    const link = openLink(port, 10_000)
    for (let round = index; !isGone && !time.isOver(); round++) {
      await honestSteps(counting(link, counts), round)
      counts.hostile++
      isGone ||= !(await runAttack(port, attackCase(next++))).connected
      if (index === 0) await clearAttacks(counting(link, counts))
      await wait(5)
    }
    link.close()
  })
  return counts
}

type Ask = (request: string) => Promise<Extract<Outcome, { how: 'answered' }> | undefined>

const counting =
  (link: Link, counts: Counts): Ask =>
  async request => {
    const outcome = await link.ask(request)
    counts.honest++
    if (outcome.how !== 'answered') {
      counts.unanswered = [...counts.unanswered, `${outcome.how} after ${Math.round(outcome.ms)} ms`]
      return undefined
    }
    if (outcome.status === 503) counts.shed++
    else if (outcome.status >= 500) counts.failed++
    return outcome
  }

const honestSteps = async (ask: Ask, round: number): Promise<void> => {
  const created = await ask(post('x'.repeat(round % 2000) || 'x', 'mixed'))
  await ask(round % 40 === 0 ? getAll : getPage(1 + (round % 100)))
  if (created?.status !== 201) return
  await ask(patch(idIn(created.text), created.etag))
  await ask(remove(idIn(created.text)))
}

/** Hostile requests may create snippets, and must not fill the storage by that. */
const clearAttacks = async (ask: Ask): Promise<void> => {
  const page = await ask(get('/api/snippets-viewset/?language=attack&page_size=20'))
  for (const [, id = ''] of page?.text.matchAll(/"id":(\d+)/g) ?? []) await ask(remove(id))
}
