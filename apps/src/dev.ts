import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onNpmExit } from './npm-exit.js'

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

const isWindows = process.platform === 'win32'

/** In a process group of its own: `tsc` is a launcher, and a signal to it alone would leave the compiler running. */
const start = (...args: readonly string[]): ChildProcess =>
  spawn(process.execPath, args, { detached: !isWindows, stdio: ['ignore', 'inherit', 'inherit'] })

const end = (child: ChildProcess): void => {
  try {
    if (isWindows || child.pid === undefined) child.kill()
    else process.kill(-child.pid, 'SIGTERM')
  } catch {
    // the group has already ended
  }
}

const children = [
  start(pathOf('../../node_modules/typescript/bin/tsc'), '-b', pathOf('..'), '--watch', '--preserveWatchOutput'),
  start('--watch', '--watch-preserve-output', '--enable-source-maps', pathOf('main.js')),
]
const ended = children.map(child => once(child, 'exit'))

let isStopping = false
const stop = (): void => {
  isStopping = true
  for (const child of children) end(child)
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
onNpmExit(process.env, stop)
await Promise.race(ended)
// the other one is of no use alone
const code = isStopping ? 0 : 1
stop()
await Promise.all(ended)
process.exit(code)
