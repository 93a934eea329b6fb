import { existsSync, readFileSync, writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/**
 * Imported into a service's process: writes a line to its log for each turn of the event loop that makes the next one late,
 * and says how long the thread was ready in that time but had no core. The second figure of `schedstat` counts that, in ns
 * (https://docs.kernel.org/scheduler/sched-stats.html); elsewhere than on Linux it is not known, and 0.
 */
const everyMs = 5
const lateMs = 10
const schedstat = `/proc/self/task/${process.pid}/schedstat`
const stderr = 2

const coreWaitMs = (): number =>
  existsSync(schedstat) ? Number(readFileSync(schedstat, 'utf8').split(' ')[1]) / 1e6 : 0

/** False when the pipe is full, as its reader is late too. */
const write = (lines: string): boolean => {
  try {
    return writeSync(stderr, lines) > 0
  } catch {
    return false
  }
}

const watch = (): void => {
  let unwritten = ''
  let last = { at: performance.now(), waited: coreWaitMs() }
  const look = (): void => {
    const now = { at: performance.now(), waited: coreWaitMs() }
    const ms = now.at - last.at - everyMs
    const line = { level: 30, time: Date.now(), msg: 'late turn', ms, waitedMs: now.waited - last.waited }
    if (ms > lateMs) unwritten += `${JSON.stringify(line)}\n`
    if (unwritten !== '' && write(unwritten)) unwritten = ''
    last = now
  }
  setInterval(look, everyMs).unref()
}

if (isMainThread) watch()
