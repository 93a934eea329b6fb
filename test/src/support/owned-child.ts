import type { ChildProcess } from 'node:child_process'

/** Ends the child, at the latest, together with this process. */
export const owned = <A extends ChildProcess>(child: A): A => {
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
  return child
}
