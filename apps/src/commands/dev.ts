import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

const isWindows = process.platform === 'win32'

/** Starts a process group. `tsc` is a launcher, and a signal to the launcher alone would leave the compiler running. */
const start = (...args: readonly string[]): ChildProcess =>
  spawn(process.execPath, args, { detached: !isWindows, stdio: ['ignore', 'inherit', 'inherit'] })

const end = (child: ChildProcess): void => {
  try {
    if (isWindows) child.kill()
    else if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
  } catch {
    // the group has ended
  }
}

const children = [
  start(pathOf('../../../node_modules/typescript/bin/tsc'), '-b', pathOf('../..'), '--watch', '--preserveWatchOutput'),
  start('--watch', '--watch-preserve-output', '--enable-source-maps', pathOf('main.js')),
]
const ended = children.map(child => once(child, 'exit'))

let isStopping = false
const stop = (): void => {
  isStopping = true
  children.forEach(end)
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
await Promise.race(ended)
// the compiler and the service end together
const code = isStopping ? 0 : 1
stop()
await Promise.all(ended)
process.exit(code)
