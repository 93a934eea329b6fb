import type { ChildProcess } from 'node:child_process'

const running = new Set<ChildProcess>()

/** Ends the child, at the latest, together with this process. */
export const owned = <A extends ChildProcess>(child: A): A => {
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

const endAll = (): void => {
  for (const child of running) child.kill('SIGKILL')
}

process.on('exit', endAll)
