import { setTimeout as wait } from 'node:timers/promises'
import { randomFrom } from '../../../support/random.js'
import type { LoadOutput } from '../clients/load.js'
import { deadline } from '../clients/timing.js'
import { type Context, type Finding, none, type Scenario } from '../scenario.js'

const clients = { connections: 64, fresh: 32 }

type Cycle = LoadOutput & Readonly<{ isClean: boolean; stopMs: number }>

/** Stops the service while 64 clients ask without a pause. */
export const stopping: Scenario = {
  name: 'stopping',
  run: async context => {
    const time = deadline(context.ms)
    const random = randomFrom(context.seed)
    const cycles: Cycle[] = []
    while (cycles.length < context.cycles && !time.isOver()) cycles.push(await cycle(context, random.between(0, 200)))
    return findings(context.cycles, cycles)
  },
}

const findings = (wanted: number, cycles: readonly Cycle[]): readonly Finding[] => {
  const sum = (count: (cycle: Cycle) => number): number => cycles.reduce((total, one) => total + count(one), 0)
  const clean = sum(({ isClean }) => (isClean ? 1 : 0))
  const slowest = Math.round(Math.max(0, ...cycles.map(({ stopMs }) => stopMs)))
  return [
    {
      goal: `${wanted} times stopped under ${clients.connections} clients, with exit code 0`,
      measured: `${clean} times, ${sum(one => one.answered)} answers, slowest stop ${slowest} ms`,
      met: clean >= wanted && clean === cycles.length,
    },
    none(
      'connections reset',
      sum(one => one.reset),
      `, ${sum(one => one.resetAtOnce)} of them before any answer`,
    ),
    none(
      'requests without an answer',
      sum(one => one.cut + one.late),
    ),
    none(
      'answers that were neither 2xx nor 503',
      sum(one => one.unexpected),
    ),
  ]
}

const cycle = async ({ start, client }: Context, afterMs: number): Promise<Cycle> => {
  const service = await start()
  let begin = (): void => {}
  const begun = new Promise<void>(resolve => {
    begin = resolve
  })
  const load = client('load', { ...clients, port: service.port, ms: 15_000 }, begin)
  await Promise.race([begun, load])
  await wait(afterMs)
  const { code, ms } = await service.stop()
  return { ...(await load), isClean: code === 0, stopMs: ms }
}
