import type { Readable } from 'node:stream'

export type LogSummary = Readonly<{
  /** Lines by level: `error` and `fatal`, and those that are no JSON, as Node prints when it ends. */
  count: (level: 'error' | 'fatal' | 'foreign') => number
  /** The first of these lines, cut to a readable length. */
  examples: () => readonly string[]
}>

const longest = 100_000

/** Reads a log to its end and keeps only a summary of it. */
export const summariseLog = (stream: Readable): LogSummary => {
  const counts = { error: 0, fatal: 0, foreign: 0 }
  const examples: string[] = []
  let unread = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (unread + chunk).split('\n')
    unread = (lines.pop() ?? '').slice(0, longest)
    for (const line of lines) {
      const level = levelOf(line)
      if (level === undefined) continue
      counts[level]++
      if (examples.length < 3) examples.push(line.slice(0, 2000))
    }
  })
  return { count: level => counts[level], examples: () => examples }
}

const levelOf = (line: string): 'error' | 'fatal' | 'foreign' | undefined => {
  if (line === '') return undefined
  if (!line.startsWith('{')) return 'foreign'
  if (line.includes('"level":60')) return 'fatal'
  return line.includes('"level":50') ? 'error' : undefined
}
