/** The value that this share of all does not exceed. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? Number.NaN

export const median = (values: readonly number[]): number => quantile(values, 0.5)

export const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
