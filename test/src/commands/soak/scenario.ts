import { type MeasuredProcess, serviceCommand, startMeasured } from '../measuring/measured-process.js'

export type Options = Readonly<{
  /** Node's executable that runs the service. */
  node: string
  /** Connections with raw bytes. */
  cases: number
}>

/** A figure and what it may be. */
export type Finding = Readonly<{ what: string; measured: string; allowed: string; isMet: boolean }>

export type Scenario = Readonly<{ name: string; run: (options: Options) => Promise<readonly Finding[]> }>

const rounded = (value: number, unit: string): string => `${Number(value.toFixed(value < 10 ? 1 : 0))}${unit}`

export const atMost = (what: string, measured: number, limit: number, unit = ''): Finding => {
  return { what, measured: rounded(measured, unit), allowed: `at most ${limit}${unit}`, isMet: measured <= limit }
}

export const atLeast = (what: string, measured: number, limit: number, unit = ''): Finding => {
  return { what, measured: rounded(measured, unit), allowed: `at least ${limit}${unit}`, isMet: measured >= limit }
}

/** As in the container that the defaults are made for. */
export const smallHeap = { NODE_OPTIONS: '--max-old-space-size=256' }
export const maxMegabytes = 420
/** How long other clients may wait. */
export const maxWaitMs = 250

/** A scenario with a service of its own, which has to live through it and then stop as usual. */
export const onService = (
  name: string,
  attack: (service: MeasuredProcess, options: Options) => Promise<readonly Finding[]>,
  env: Readonly<Record<string, string>> = {},
): Scenario => ({
  name,
  run: async options => {
    const service = await startMeasured({ ...serviceCommand, hasAdmin: true, node: options.node, env })
    try {
      const findings = await attack(service, options)
      const hadEnded = service.exit() !== undefined
      await service.end('SIGTERM')
      const fatal = fatalLines(service.log())
      for (const line of fatal.slice(0, 5)) console.error(line.slice(0, 1000))
      return [
        ...findings,
        atMost('exits before it was told to stop', hadEnded ? 1 : 0, 0),
        atMost('ends with another exit code than 0', service.exit() === 0 ? 0 : 1, 0),
        atMost('fatal lines in its log', fatal.length, 0),
      ]
    } finally {
      await service.end('SIGKILL')
    }
  },
})

/** Lines of a fatal error, and those that are no JSON, as Node prints when it ends. */
const fatalLines = (log: string): readonly string[] =>
  log.split('\n').filter(line => line !== '' && (!line.startsWith('{') || line.includes('"level":60')))
