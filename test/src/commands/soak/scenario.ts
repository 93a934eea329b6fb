import type { Options } from './options.js'
import type { RunClient } from './processes/run-client.js'
import type { SoakService } from './processes/soak-service.js'

/** One row of the table at the end. */
export type Finding = Readonly<{ goal: string; measured: string; met: boolean }>

export type Context = Options &
  Readonly<{
    /** How long this scenario may take, in milliseconds. */
    ms: number
    start: () => Promise<SoakService>
    /** Runs a part of the load in a process of its own. */
    client: RunClient
  }>

export type Scenario = Readonly<{ name: string; run: (context: Context) => Promise<readonly Finding[]> }>

/** A figure that must not exceed its limit. */
export const atMost = (what: string, measured: number, limit: number, unit: string, note = ''): Finding => ({
  goal: `${what}: at most ${limit}${unit}`,
  measured: `${rounded(measured)}${unit}${note}`,
  met: measured <= limit,
})

/** A count that must be 0. */
export const none = (what: string, count: number, note = ''): Finding => ({
  goal: `0 ${what}`,
  measured: `${count}${note}`,
  met: count === 0,
})

export const rounded = (value: number): number => Number(value.toFixed(value < 10 ? 1 : 0))
