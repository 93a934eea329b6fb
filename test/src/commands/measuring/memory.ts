import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** Megabytes of memory that a process holds. Undefined once it has ended. */
export const residentMegabytes = (pid: number): number | undefined => {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1000
  } catch {
    return undefined
  }
}

/** The memory of an idle process: the least of two seconds, so that garbage counts as little as possible. */
export const settledMegabytes = async (pid: number): Promise<number> => {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < 20; i++) {
    await wait(100)
    least = Math.min(least, residentMegabytes(pid) ?? least)
  }
  return least
}

export type Watch = Readonly<{ most: () => number; samples: () => readonly number[]; end: () => void }>

export const watchMemory = (pid: number, everyMs = 20): Watch => {
  const samples: number[] = []
  let most = 0
  const timer = setInterval(() => {
    const now = residentMegabytes(pid)
    if (now === undefined) return
    samples.push(now)
    most = Math.max(most, now)
  }, everyMs)
  return { most: () => most, samples: () => samples, end: () => clearInterval(timer) }
}
