import { median, type Spread, spreadOf } from '../../measuring/statistics.js'
import { rotated } from '../measure-rows.js'
import type { LoopTask, Side } from './loops.js'

/** CPU of the adapter over that of the driver's loop, in each round and in the middle. */
export type Compared = Readonly<{ ratio: Spread; adapterMicroseconds: number; bareMicroseconds: number }>

/** V8 compiles the adapter later than the driver, which both sides use. */
const warmUpRounds = 15
const rounds = 24
const requests = 400

/** Many short rounds, so that what disturbs the machine disturbs both. The other of the two begins each time. */
export const compareSides = async (
  row: string,
  snippets: number,
  measure: (task: LoopTask) => Promise<number>,
): Promise<Compared> => {
  const taken: Readonly<Record<Side, number[]>> = { adapter: [], bare: [] }
  for (let round = 1; round <= warmUpRounds + rounds; round++)
    for (const side of rotated(['adapter', 'bare'] as const, round)) {
      const cpuMicroseconds = await measure({ side, row, round, requests, snippets })
      if (round > warmUpRounds) taken[side].push(cpuMicroseconds)
    }
  return {
    ratio: spreadOf(taken.adapter.map((own, i) => own / (taken.bare[i] ?? Number.NaN))),
    adapterMicroseconds: median(taken.adapter),
    bareMicroseconds: median(taken.bare),
  }
}
