/** A logged line. Its level is a number in JSON. */
export type LogLine = Readonly<{ level: number | string; msg: string; [field: string]: unknown }>

/** Returns the complete lines of a JSON log. */
export const logLinesOf = (log: string): readonly LogLine[] =>
  log
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))

export const recordingLog = () => {
  const lines: LogLine[] = []
  const write = (level: string) => (fields: object, msg: string) => void lines.push({ level, msg, ...fields })
  return {
    log: { info: write('info'), warn: write('warn'), error: write('error') },
    lines,
    /** Returns the warnings and errors. */
    warnings: () => lines.filter(({ level }) => level !== 'info'),
  }
}

const nothing = (): void => {}

export const silentLog = { debug: nothing, info: nothing, warn: nothing, error: nothing }
