import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { owned } from '../../soak/processes/children.js'
import { onCore } from '../servers/cores.js'
import type { LoadReply, LoadTask, Measured } from './load-process.js'

export type LoadClient = Readonly<{ measure: (task: LoadTask) => Promise<Measured>; stop: () => void }>

/** Starts the process that sends the requests. */
export const startLoad = (): LoadClient => {
  const [file, args] = onCore('load', [fileURLToPath(new URL('load-process.js', import.meta.url))])
  const child = owned(spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }))
  const measure: LoadClient['measure'] = async task => {
    child.send(task)
    const [reply]: LoadReply[] = await once(child, 'message')
    if (reply === undefined || 'fault' in reply) throw new Error(reply?.fault ?? 'the load ended')
    return reply.measured
  }
  return { measure, stop: () => void child.kill() }
}
