import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { root } from './workspace-root.js'

export type Transferred = Readonly<{ code: number | null; stdout: string; stderr: string }>

/** Runs the command, with this text on its standard input. */
export const runTransfer = (args: readonly string[], input = ''): Promise<Transferred> =>
  new Promise(resolve => {
    const command = [join(root, 'apps/dist/transfer.js'), ...args]
    const child = execFile(process.execPath, command, { maxBuffer: 1 << 28 }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    )
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
