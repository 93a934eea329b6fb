import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** Keeps a process on one core, so that what measures takes nothing from what is measured. Without `taskset` it does nothing. */
export const pinTo = (pid: number, cpu: number): void => {
  if (availableParallelism() > cpu) spawnSync('taskset', ['-acp', String(cpu), String(pid)])
}
