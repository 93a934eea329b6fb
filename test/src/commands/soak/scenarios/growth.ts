import { setTimeout as wait } from 'node:timers/promises'
import { settledMegabytes, watchMemory } from '../../measuring/memory.js'
import { getAll, getPage } from '../clients/requests.js'
import type { SoakService } from '../processes/soak-service.js'
import { atMost, type Context, type Finding, rounded } from '../scenario.js'

export type Growth = Readonly<{ grown: number; note: string; others: readonly Finding[] }>

type Measured = Readonly<{
  /** The snippets that the service starts with. */
  snippets: Readonly<{ count: number; code: 'heaviest' | number }>
  /** Requests of the warm-up, beside pages and creations. */
  warmUp?: readonly string[]
  attack: (service: SoakService) => Promise<Readonly<{ note: string; others?: readonly Finding[] }>>
}>

/** How much the memory of a service that was used before grows at most during an attack, in megabytes. */
export const growthDuring = async (context: Context, { snippets, warmUp = [], attack }: Measured): Promise<Growth> => {
  const service = await context.start()
  try {
    const { port, pid } = service
    await context.client('fill', { port, ms: 30_000, ...snippets })
    await warm(context, port, warmUp)
    const before = await settledMegabytes(pid)
    const watch = watchMemory(pid)
    const { note, others = [] } = await attack(service)
    await wait(500)
    watch.end()
    const { code } = service.isRunning() ? await service.stop() : { code: 1 }
    const ended: Finding = { goal: 'stops with exit code 0', measured: `code ${code}`, met: code === 0 }
    return { grown: watch.most() - before, note: `${note}; from ${rounded(before)} MB`, others: [...others, ended] }
  } finally {
    await service.stop()
  }
}

const warm = async ({ client }: Context, port: number, requests: readonly string[]): Promise<void> => {
  // one at a time, or the warm-up itself would need as much memory as the attack may
  for (const request of requests) await client('load', { port, connections: 1, fresh: 0, ms: 500, request })
  await client('load', { port, connections: 4, fresh: 0, ms: 3000, request: getPage(10) })
}

export const heavySnippets = { count: 100, code: 'heaviest' } as const
/** 60 MB in the list of all. */
export const manySnippets = { count: 1000, code: 'heaviest' } as const
export const smallSnippets = { count: 1000, code: 1000 } as const

export const heavyPage = getPage(100)
export const heavyList = getAll

export const growthFindings = ({ grown, note, others }: Growth, what: string, limit: number): readonly Finding[] => [
  atMost(`${what}: growth of memory`, grown, limit, ' MB', ` (${note})`),
  ...others.filter(({ met }) => !met),
]
