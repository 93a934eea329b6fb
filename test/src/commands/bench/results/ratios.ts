import { median, type Spread, spreadOf } from '../../measuring/statistics.js'
import type { Sample } from '../measure-rows.js'

/** What the rounds say of one server and one kind of request. */
export type Result = Readonly<{
  row: string
  server: string
  /** CPU of the limit over that of this server, round by round; higher is better. Undefined where the limit was not measured. */
  ratio: Spread | undefined
  cpuMicroseconds: number
  p50: number
  p99: number
}>

export const resultsOf = (samples: readonly Sample[], limit: string): readonly Result[] => {
  const cpuOfLimit = (row: string, round: number): number | undefined =>
    samples.find(sample => sample.row === row && sample.round === round && sample.server === limit)?.cpuMicroseconds
  return groupsOf(samples).flatMap(group => {
    const [first] = group
    if (first === undefined) return []
    const ratios = group.flatMap(({ row, round, cpuMicroseconds }) => {
      const cpu = cpuOfLimit(row, round)
      return cpu === undefined ? [] : [cpu / cpuMicroseconds]
    })
    return {
      row: first.row,
      server: first.server,
      ratio: ratios.length === 0 ? undefined : spreadOf(ratios),
      cpuMicroseconds: median(group.map(({ cpuMicroseconds }) => cpuMicroseconds)),
      p50: median(group.map(({ p50 }) => p50)),
      p99: median(group.map(({ p99 }) => p99)),
    }
  })
}

const groupsOf = (samples: readonly Sample[]): readonly (readonly Sample[])[] => {
  const groups = new Map<string, Sample[]>()
  for (const sample of samples) {
    const key = `${sample.row} ${sample.server}`
    groups.set(key, [...(groups.get(key) ?? []), sample])
  }
  return [...groups.values()]
}
