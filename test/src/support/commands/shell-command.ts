import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Environment } from '@snippets/apps/settings/settings.js'

const { PATH, HOME } = process.env

export type ShellCommand = Readonly<{
  /** Resolves with the group of the pattern once the command has printed a match. */
  printed: (pattern: RegExp) => Promise<string>
  /** Signals the whole process group, like Ctrl-C in a terminal. */
  signal: (signal: NodeJS.Signals) => void
  /** Signals the first process only, like a supervisor. */
  signalFirst: (signal: NodeJS.Signals) => void
  /** Resolves when all processes of the command have closed their output. */
  ended: Promise<Readonly<{ code: number | null; output: string }>>
}>

/** Runs a shell command in the folder. Its environment is `PATH`, `HOME` and the given variables. */
export const runInShell = (line: string, cwd: string, environment: Environment): ShellCommand => {
  const child = spawn('sh', ['-c', `exec 2>&1; ${line}`], {
    cwd,
    env: { PATH, HOME, ...environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const { pid = 0, stdout } = child
  const signal = (signal: NodeJS.Signals): void => {
    try {
      process.kill(-pid, signal)
    } catch {
      // the whole group has ended
    }
  }
  const stopWithThis = () => signal('SIGTERM')
  process.once('exit', stopWithThis)
  let output = ''
  stdout.setEncoding('utf8').on('data', chunk => {
    output += chunk
  })
  const ended = once(child, 'close').then(([code]) => {
    process.off('exit', stopWithThis)
    return { code, output }
  })
  const printed = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const match = pattern.exec(output)
      if (match !== null) return match[1] ?? match[0]
      const next = await Promise.race([once(stdout, 'data'), ended.then(() => undefined)])
      if (next === undefined) throw new Error(`${line} ended without printing ${pattern}:\n${output}`)
    }
  }
  return { printed, signal, signalFirst: signal => void child.kill(signal), ended }
}
