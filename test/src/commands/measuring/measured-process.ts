import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { closedPort } from '../../support/free-port.js'
import { owned } from '../../support/owned-child.js'
import { root } from '../../support/workspace-root.js'
import type { Usage } from './usage-report.js'

export type MeasuredProcess = Readonly<{
  port: number
  adminPort: number
  firstAnswerMs: number
  usage: () => Promise<Usage>
  /** How it ended, or undefined while it runs. */
  exit: () => Readonly<{ code: number | null; signal: NodeJS.Signals | null }> | undefined
  log: () => string
  /** Sends SIGTERM and waits for the end. */
  stop: () => Promise<void>
  kill: () => Promise<void>
}>

export type Command = Readonly<{
  script: string
  env?: Readonly<Record<string, string>>
  /** Serves `/livez` and its like on a port of their own. */
  hasAdmin?: boolean
  node?: string
}>

export const serviceCommand: Command = { script: join(root, 'apps/dist/main.js') }

/** Without `taskset`, or with one core, nothing is pinned. */
export const arePinned = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0

const serverCore = '0'
const loadCore = '1'

/** Keeps this process, which makes the load, on another core than the servers. */
export const pinLoad = (): void => {
  if (arePinned) spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', loadCore, String(process.pid)])
}

const folder = mkdtempSync(join(tmpdir(), 'snippets-measured-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const usageReport = new URL('usage-report.js', import.meta.url)
const startMs = 120_000

/** Starts a server on a core of its own, with its log in a file, and waits for its first answer. */
export const startMeasured = async ({
  script,
  env = {},
  hasAdmin = false,
  node = process.execPath,
}: Command): Promise<MeasuredProcess> => {
  const [port, adminPort] = [await closedPort(), await closedPort()]
  const command = [node, '--enable-source-maps', '--import', usageReport.href, script]
  const [file = '', ...args] = arePinned ? ['taskset', '--cpu-list', serverCore, ...command] : command
  const logFile = join(folder, `${port}.log`)
  const log = openSync(logFile, 'w')
  const begun = performance.now()
  const child = owned(
    spawn(file, args, {
      // not the workspace, whose .env is for people
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        PORT: String(port),
        ...(hasAdmin && { ADMIN_PORT: String(adminPort) }),
        ...env,
      },
      stdio: ['ignore', 'ignore', log, 'ipc'],
    }),
  )
  const ended = once(child, 'exit')
  while (!(await answers(port))) {
    if (hasEnded(child) || performance.now() - begun > startMs)
      throw new Error(`${script} did not start: ${readFileSync(logFile, 'utf8')}`)
    await pause(5)
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!hasEnded(child)) child.kill(signal)
    await ended
  }
  return {
    port,
    adminPort,
    firstAnswerMs: performance.now() - begun,
    usage: async () => {
      child.send('usage')
      const [usage] = await once(child, 'message', { signal: AbortSignal.timeout(startMs) })
      return usage as Usage
    },
    exit: () => (hasEnded(child) ? { code: child.exitCode, signal: child.signalCode } : undefined),
    log: () => readFileSync(logFile, 'utf8'),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

/** Whether anything answers, whatever the status. */
const answers = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    request({ port, host: '127.0.0.1', path: '/api/snippets/config/', agent: false }, response => {
      response.resume().once('end', () => resolve(true))
    })
      .once('error', () => resolve(false))
      .end()
  })
