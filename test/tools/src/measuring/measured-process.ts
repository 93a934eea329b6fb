import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@snippets/test/support/eventually.js'
import { closedPort } from '@snippets/test/support/free-port.js'
import { killAtExit } from '@snippets/test/support/service/child-process.js'
import { root } from '@snippets/test/support/workspace-root.js'
import type { Usage } from './usage-report.js'

export type MeasuredProcess = Awaited<ReturnType<typeof startMeasured>>

export const serviceScript = join(root, 'apps/dist/commands/main.js')

/** Without `taskset`, or with one core, nothing is pinned. */
export const arePinned = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0

/** Pins this process, which generates the load, to another core than the servers. */
export const pinLoad = (): void => {
  if (arePinned) spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', '1', String(process.pid)])
}

const folder = mkdtempSync(join(tmpdir(), 'snippets-measured-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const usageReport = new URL('usage-report.js', import.meta.url)
const startMs = 120_000

/** Starts a server on core 0, logs to a file, and waits for the first response. */
export const startMeasured = async (env: Readonly<Record<string, string>>, script = serviceScript) => {
  const [port, adminPort] = [await closedPort(), await closedPort()]
  const line = [process.execPath, '--enable-source-maps', '--import', usageReport.href, script]
  const [file = '', ...args] = arePinned ? ['taskset', '--cpu-list', '0', ...line] : line
  const logFile = join(folder, `${port}.log`)
  const log = () => readFileSync(logFile, 'utf8')
  const { PATH } = process.env
  const begun = performance.now()
  const child = killAtExit(
    spawn(file, args, {
      // not the workspace, because its .env is meant for developers
      cwd: folder,
      env: { PATH, NODE_ENV: 'production', PORT: String(port), ADMIN_PORT: String(adminPort), ...env },
      stdio: ['ignore', 'ignore', openSync(logFile, 'w'), 'ipc'],
    }),
  )
  /** Returns the exit code or signal, or undefined while the process runs. */
  const exit = () => child.exitCode ?? child.signalCode ?? undefined
  const ended = once(child, 'exit')
  const isSettled = async () => exit() !== undefined || (await isResponding(port))
  await eventually(isSettled, startMs, log)
  if (exit() !== undefined) throw new Error(`${script} did not start: ${log()}`)
  return {
    port,
    adminPort,
    firstResponseMs: performance.now() - begun,
    usage: async (): Promise<Usage> => {
      child.send('usage')
      const [usage] = await once(child, 'message', { signal: AbortSignal.timeout(startMs) })
      return usage
    },
    exit,
    log,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    end: async (signal: NodeJS.Signals): Promise<void> => {
      child.kill(signal)
      await ended
    },
  }
}

/** Tells whether the server responds, with any status. */
const isResponding = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/api/snippets/config/`)
    .then(response => response.arrayBuffer())
    .then(Boolean, () => false)
