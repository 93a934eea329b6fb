import { exitUsage } from '@snippets/apps/exit.js'

/** Ends the command with the reason and the usage if its arguments are invalid. */
export const readOrExplain = <A>(usage: string, read: () => A): A => {
  try {
    return read()
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${usage}`)
    return process.exit(exitUsage)
  }
}

export const wholeNumber = (name: string, text: string): number => {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number > 0) return number
  throw new Error(`${name} must be a whole number above 0.`)
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length / 2) - 1] ?? Number.NaN

export const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
