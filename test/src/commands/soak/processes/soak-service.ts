import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { owned } from '../../../support/owned-child.js'
import { root } from '../../../support/workspace-root.js'
import { type LogSummary, summariseLog } from './log-summary.js'

const { PATH } = process.env

export type SoakService = Readonly<{
  port: number
  adminPort: number
  pid: number
  log: LogSummary
  isRunning: () => boolean
  /** File descriptors, most of them connections. */
  openFiles: () => number
  /** Sends SIGTERM, and returns how the process ended and after how long. */
  stop: () => Promise<Readonly<{ code: number | null; signal: NodeJS.Signals | null; ms: number }>>
}>

/** `npm_lifecycle_event` is what npm sets; because of it the service also stops when this process is killed. */
const environment = { PATH, PORT: '0', ADMIN_PORT: '0', npm_lifecycle_event: 'start' }

const stopMs = 20_000

/** Starts the command of `npm start`, with storage in memory and all settings but the ports at their defaults, also where a `.env` says otherwise. */
export const startSoakService = async (): Promise<SoakService> => {
  const command = ['--enable-source-maps', join(root, 'apps/dist/main.js')]
  const child = owned(
    spawn(process.execPath, command, { cwd: tmpdir(), env: environment, stdio: ['ignore', 'pipe', 'pipe'] }),
  )
  const ended = once(child, 'exit')
  const log = summariseLog(child.stderr)
  const { port, adminPort } = await portsIn(child.stdout)
  const { pid = 0 } = child
  const stop: SoakService['stop'] = async () => {
    const begun = performance.now()
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), stopMs)
    await ended
    clearTimeout(late)
    return { code: child.exitCode, signal: child.signalCode, ms: performance.now() - begun }
  }
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null
  return { port, adminPort, pid, log, isRunning, openFiles: () => (isRunning() ? openFiles(pid) : 0), stop }
}

const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

const portsIn = (stdout: NodeJS.ReadableStream): Promise<Readonly<{ port: number; adminPort: number }>> =>
  new Promise((resolve, reject) => {
    let text = ''
    stdout.setEncoding('utf8')
    stdout.on('data', (chunk: string) => {
      text += chunk
      const [, url] = /listening on (\S+)\s/.exec(text) ?? []
      const [, adminUrl] = /admin pages are on (\S+)\s/.exec(text) ?? []
      if (url !== undefined && adminUrl !== undefined) resolve({ port: portOf(url), adminPort: portOf(adminUrl) })
    })
    stdout.once('end', () => reject(new Error(`the service did not start: ${text}`)))
  })

const portOf = (url: string): number => Number(new URL(url).port)
