import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { get } from '@snippets/test/support/http/wire.js'
import { type MeasuredProcess, startMeasured } from '../measuring/measured-process.js'
import { send } from './raw-requests.js'

export type Finding = Readonly<{ what: string; measured: string; allowed: string; isMet: boolean }>

/** Only the scenario endurance depends on the minutes. */
export type Scenario = Readonly<{ name: string; run: (minutes: number) => Promise<readonly Finding[]> }>

type Environment = Readonly<Record<string, string>>

const rounded = (value: number, unit: string): string => `${Number(value.toFixed(value < 10 ? 1 : 0))}${unit}`

export const atMost = (what: string, measured: number, limit: number, unit = ''): Finding => {
  return { what, measured: rounded(measured, unit), allowed: `at most ${limit}${unit}`, isMet: measured <= limit }
}

export const atLeast = (what: string, measured: number, limit: number, unit = ''): Finding => {
  return { what, measured: rounded(measured, unit), allowed: `at least ${limit}${unit}`, isMet: measured >= limit }
}

export const smallHeap = { NODE_OPTIONS: '--max-old-space-size=256' }

/** The peak memory. By default it fits into a container of 512 MB with a small heap. */
export const peakMemory = async ({ usage }: MeasuredProcess, what = '', limit = 420): Promise<Finding> =>
  atMost(`${what}peak memory`, (await usage()).peakMegabytes, limit, ' MB')

/** A scenario with its own service, which must survive and then stop normally. */
export const onService = (
  name: string,
  attack: (service: MeasuredProcess, minutes: number) => Promise<readonly Finding[]>,
  env: Environment = smallHeap,
): Scenario => ({
  name,
  run: async minutes => {
    const service = await startMeasured(env)
    try {
      const findings = await attack(service, minutes)
      await service.end('SIGTERM')
      const fatal = fatalLines(service.log())
      for (const line of fatal.slice(0, 5)) console.error(line.slice(0, 1000))
      return [
        ...findings,
        atMost('ends with another exit code than 0', service.exit() === 0 ? 0 : 1, 0),
        atMost('fatal lines in its log', fatal.length, 0),
      ]
    } finally {
      await service.end('SIGKILL')
    }
  },
})

/** A scenario whose service has a data directory, on a disk of its own if that has a size. */
export const onDirectory = (
  name: string,
  attack: (service: MeasuredProcess, directory: string, minutes: number) => Promise<readonly Finding[]>,
  { env = smallHeap, diskMegabytes }: Readonly<{ env?: Environment; diskMegabytes?: number }> = {},
): Scenario => ({
  name,
  run: async minutes => {
    const directory = mkdtempSync(join(tmpdir(), 'soak-'))
    const hasDisk = diskMegabytes !== undefined
    if (hasDisk) execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMegabytes}m`, 'tmpfs', directory])
    const { run } = onService(name, service => attack(service, directory, minutes), { ...env, DATA_DIR: directory })
    return run(minutes).finally(() => {
      if (hasDisk) execFileSync('umount', [directory])
      rmSync(directory, { recursive: true })
    })
  },
})

/** Repeats the work until the promise settles, and returns its value. */
export const until = async <A>(end: PromiseLike<A>, work: (turn: number) => Promise<unknown>): Promise<A> => {
  let isOver = false
  const over = (): void => {
    isOver = true
  }
  end.then(over, over)
  for (let turn = 0; !isOver; turn++) await work(turn)
  return end
}

/** Requests the path repeatedly on new connections beside the load, as other clients do. */
export const readBeside = async <A>(port: number, path: string, load: PromiseLike<A>) => {
  let [sent, failed, slowest] = [0, 0, 0]
  const result = await until(load, async () => {
    const begun = performance.now()
    if ((await send(port, get(path))).status !== 200) failed++
    sent++
    slowest = Math.max(slowest, performance.now() - begun)
    await pause(20)
  })
  return {
    sent,
    failed,
    /** The longest time until the first bytes of a response. */
    slowest,
    result,
    /** The findings that all other clients were served soon. */
    findings: (what: string): readonly Finding[] => [
      atMost(`the longest wait of ${what}`, slowest, 250, ' ms'),
      atMost(`failed ${what}`, failed, 0),
    ],
  }
}

/** Returns the lines of fatal errors, and lines that are not JSON, which Node prints when it crashes. */
const fatalLines = (log: string): readonly string[] =>
  log.split('\n').filter(line => line !== '' && (!line.startsWith('{') || line.includes('"level":60')))
