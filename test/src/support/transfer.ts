import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { root } from './workspace-root.js'

export type Transferred = Readonly<{ code: number | null; stderr: string }>

/** Runs the command. */
export const runTransfer = (...args: readonly string[]): Promise<Transferred> =>
  new Promise(resolve => {
    const child = execFile(
      process.execPath,
      [join(root, 'apps/dist/transfer.js'), ...args],
      (_error, _stdout, stderr) => resolve({ code: child.exitCode, stderr }),
    )
  })
