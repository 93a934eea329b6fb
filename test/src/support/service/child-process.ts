import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '@snippets/apps/settings/setting-parsers.js'
import { root } from '../workspace-root.js'
import { type LogLine, logLinesOf } from './logs.js'

const { PATH } = process.env

type Ended = Readonly<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>

export type ServiceProcess = Awaited<ReturnType<typeof startProcess>>

type StartOptions = Readonly<{
  args?: readonly string[]
  /** Not the workspace, because its .env is meant for developers. */
  folder?: string
  /** How many files the process may open. Needs a POSIX shell. */
  maxFiles?: number
  /** A command that runs the script, such as strace with its arguments. */
  under?: readonly string[]
}>

/** Returns the Node.js options that run a script first, in every thread. */
export const importing = (script: string): string => `--import=data:text/javascript,${encodeURIComponent(script)}`

/** Ends the child when this process ends. */
export const killAtExit = <A extends ChildProcess>(child: A): A => {
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
  return child
}

/** Spawns a script of apps with exactly this environment. */
export const spawnService = (
  environment: Environment,
  script = 'main.js',
  { args = [], folder = tmpdir(), maxFiles, under = [] }: StartOptions = {},
) => {
  const command = [...under, process.execPath, join(root, 'apps/dist/commands', script), ...args]
  const limited = ['sh', '-c', `ulimit -n ${maxFiles} && exec "$0" "$@"`, ...command]
  const [program = '', ...others] = maxFiles === undefined ? command : limited
  const child = killAtExit(
    spawn(program, others, {
      env: { PATH, ...environment },
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  let stdout = ''
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', chunk => {
    stderr += chunk
  })
  child.stdout.setEncoding('utf8').on('data', chunk => {
    stdout += chunk
  })
  const listening = new Promise<LogLine>((resolve, reject) => {
    child.stderr.on('data', () => {
      const line = /^\{.*"msg":"listening"\}$/m.exec(stderr)
      if (line !== null) resolve(JSON.parse(line[0]))
    })
    child.once('close', () => reject(new Error(`the process ended before it listened:\n${stdout}${stderr}`)))
  })
  // some services are expected to fail at start
  listening.catch(() => {})
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal, stdout, stderr }))
  return {
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    logged: () => logLinesOf(stderr),
    ended,
    listening,
  }
}

/** Starts a script of apps. `adminUrl` is empty unless the environment sets ADMIN_PORT. */
export const startProcess = async (environment: Environment, script?: string, options?: StartOptions) => {
  const { listening, ...spawned } = spawnService({ PORT: '0', ...environment }, script, options)
  const { url, adminUrl = '' } = await listening
  return { url: String(url), adminUrl: String(adminUrl), ...spawned }
}
