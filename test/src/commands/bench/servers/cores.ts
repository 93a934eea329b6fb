import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The cores in a list such as `0-3,8`. */
export const coresIn = (list: string): readonly number[] =>
  list.split(',').flatMap(part => {
    const [first = 0, last = first] = part.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, i) => first + i)
  })

/** Undefined where there is only one core or no `taskset`. */
const twoCores = (): readonly [server: number, load: number] | undefined => {
  const [, list = '0'] = /^Cpus_allowed_list:\s+(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  const [server, load] = coresIn(list)
  const isMissing = spawnSync('taskset', ['--version']).error !== undefined
  return server === undefined || load === undefined || isMissing ? undefined : [server, load]
}

const cores = twoCores()

export const arePinned = cores !== undefined

/** The command, held to the core of the servers or to that of the load. It keeps its process id. */
export const onCore = (which: 'server' | 'load', command: readonly string[]): readonly [string, readonly string[]] => {
  if (cores === undefined) return [process.execPath, command]
  const core = cores[which === 'server' ? 0 : 1]
  return ['taskset', ['-c', String(core), process.execPath, ...command]]
}
