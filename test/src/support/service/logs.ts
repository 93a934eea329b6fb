export type LogLine = Readonly<{ level: number; msg: string; [field: string]: unknown }>

/** Returns the complete lines of a JSON log. */
export const logLinesOf = (log: string): readonly LogLine[] =>
  log
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))

const nothing = (): void => {}

export const silentLog = { debug: nothing, info: nothing, warn: nothing, error: nothing, droppedLines: () => 0 }
