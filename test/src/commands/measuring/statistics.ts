export type Spread = Readonly<{ median: number; min: number; max: number }>

const ascending = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b)

/** The value that this share of all does not exceed; 0 of none. */
export const quantile = (values: readonly number[], share: number): number =>
  ascending(values)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? 0

export const median = (values: readonly number[]): number => {
  const sorted = ascending(values)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

export const spreadOf = (values: readonly number[]): Spread => ({
  median: median(values),
  min: Math.min(...values),
  max: Math.max(...values),
})
