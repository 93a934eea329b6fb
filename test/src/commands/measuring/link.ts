import { connect, type Socket } from 'node:net'
import { createReader } from './response-reader.js'

/** How a request ended. `reset` and `cut` mean that the service took the connection and did not answer in full. */
export type Outcome =
  | Readonly<{ how: 'answered'; status: number; ms: number; text: string; closes: boolean; etag: string }>
  | Readonly<{ how: 'refused' | 'reset' | 'cut' | 'late'; ms: number }>

/** A connection for one request at a time. It is made with the first and lost with a failure. */
export type Link = Readonly<{
  ask: (request: string | Buffer) => Promise<Outcome>
  isOpen: () => boolean
  close: () => void
}>

export const openLink = (port: number, timeoutMs = 30_000): Link => {
  let socket: Socket | undefined
  const close = (): void => {
    socket?.destroy()
    socket = undefined
  }
  const ask: Link['ask'] = async request => {
    if (socket === undefined || socket.destroyed) socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const outcome = await exchange(socket, request, timeoutMs)
    if (outcome.how !== 'answered' || outcome.closes) close()
    return outcome
  }
  return { ask, isOpen: () => socket?.destroyed === false, close }
}

const exchange = (socket: Socket, request: string | Buffer, timeoutMs: number): Promise<Outcome> =>
  new Promise(resolve => {
    const begun = performance.now()
    const reader = createReader()
    const finish = (how: 'answered' | 'refused' | 'reset' | 'cut' | 'late'): void => {
      clearTimeout(timer)
      socket.off('data', onData).off('error', onError).off('end', onEnd).off('close', onEnd)
      // an error after the answer is no one's concern
      socket.on('error', ignore)
      const ms = performance.now() - begun
      resolve(how === 'answered' ? { how, ms, ...reader.answer() } : { how, ms })
    }
    const timer = setTimeout(() => finish('late'), timeoutMs)
    const onData = (chunk: Buffer): void => {
      if (reader.add(chunk) !== undefined) finish('answered')
    }
    const onEnd = (): void => finish('cut')
    const onError = ({ code }: NodeJS.ErrnoException): void => finish(code === 'ECONNREFUSED' ? 'refused' : 'reset')
    socket.off('error', ignore).on('data', onData).on('error', onError).on('end', onEnd).on('close', onEnd)
    socket.write(request)
  })

const ignore = (): void => {}
