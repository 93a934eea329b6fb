import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { owned } from '../../../support/owned-child.js'
import { replyTo } from '../../measuring/reply-to.js'
import { onCore } from '../servers/cores.js'
import type { LoadReply, LoadTask, Measured } from './load-process.js'

export type LoadClient = Readonly<{ measure: (task: LoadTask) => Promise<Measured>; stop: () => void }>

/** Starts the process that sends the requests. */
export const startLoad = (): LoadClient => {
  const [file, args] = onCore('load', [fileURLToPath(new URL('load-process.js', import.meta.url))])
  const child = owned(spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }))
  const measure: LoadClient['measure'] = async task => {
    const reply = await replyTo<LoadReply>(child, task)
    if ('fault' in reply) throw new Error(reply.fault)
    return reply.measured
  }
  return { measure, stop: () => void child.kill() }
}
