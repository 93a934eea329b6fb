import { readdirSync, readFileSync } from 'node:fs'

/** Nanoseconds on a core, first of the three figures (https://docs.kernel.org/scheduler/sched-stats.html). */
const nanosecondsOf = (task: string): number => Number(readFileSync(`${task}/schedstat`, 'utf8').split(' ', 1)[0])

/** Microseconds of CPU that a process has used, with all its threads, in user space and in the kernel. */
export const cpuMicroseconds = (pid: number): number => {
  const tasks = `/proc/${pid}/task`
  return readdirSync(tasks).reduce((sum, task) => sum + nanosecondsOf(`${tasks}/${task}`), 0) / 1000
}
