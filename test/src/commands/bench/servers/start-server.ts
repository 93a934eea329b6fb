import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { owned } from '../../../support/owned-child.js'
import type { Competitor } from './competitors.js'
import { onCore } from './cores.js'

const { PATH } = process.env

export type RunningServer = Readonly<{ port: number; pid: number; stop: () => Promise<void> }>

/** Logs go to a file there, as they do in production. */
const logs = mkdtempSync(join(tmpdir(), 'snippets-bench-'))
process.on('exit', () => rmSync(logs, { recursive: true, force: true }))

/** Resolves when the server says where it listens. */
export const startServer = async ({ name, command, environment }: Competitor): Promise<RunningServer> => {
  const [file, args] = onCore('server', command)
  const log = openSync(join(logs, `${name}.log`), 'a')
  const child = owned(
    spawn(file, args, {
      // not the workspace, whose .env is for people
      cwd: tmpdir(),
      env: { PATH, NODE_ENV: 'production', ...environment },
      stdio: ['pipe', 'pipe', log],
    }),
  )
  const ended = once(child, 'exit')
  const port = await portIn(child.stdout, name)
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  return { port, pid: child.pid ?? 0, stop }
}

const portIn = (stdout: NodeJS.ReadableStream | null, name: string): Promise<number> =>
  new Promise((resolve, reject) => {
    let text = ''
    stdout?.setEncoding('utf8')
    stdout?.on('data', (chunk: string) => {
      text += chunk
      const [, port] = /listening on http:\/\/127\.0\.0\.1:(\d+)\s/.exec(text) ?? []
      if (port !== undefined) resolve(Number(port))
    })
    stdout?.once('end', () => reject(new Error(`${name} did not start: ${text}`)))
  })
