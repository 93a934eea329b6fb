import { connect, type Socket } from 'node:net'
import { createScan } from './response-scan.js'

export type Load = Readonly<{
  port: number
  connections: number
  requests: readonly Buffer[]
  status: number
}>

const bufferBytes = 256 * 1024

const connected = (port: number, onBytes: (length: number, buffer: Buffer) => void): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const callback = (length: number, buffer: Uint8Array): boolean => {
      onBytes(length, buffer as Buffer)
      return true
    }
    // one buffer for all reads of a connection: cheaper than a stream of chunks
    const onread = { buffer: Buffer.allocUnsafe(bufferBytes), callback }
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread })
    socket.once('error', reject).once('connect', () => resolve(socket))
  })

/** A closed loop: every connection sends its next request when it has its answer. Returns milliseconds per request. */
export const runLoad = async (load: Load, onBegin: () => void): Promise<readonly number[]> => {
  const { port, connections, requests, status } = load
  const times: number[] = []
  let next = 0
  let fail: (error: Error) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  const client = async (): Promise<() => Promise<void>> => {
    const scan = createScan()
    let begun = 0
    let finish = (): void => {}
    const send = (): void => {
      const request = requests[next++]
      if (request === undefined) {
        finish()
        return
      }
      begun = performance.now()
      socket.write(request)
    }
    const socket = await connected(port, (length, buffer) => {
      const got = scan.add(buffer, length)
      if (got === 0) return
      if (got !== status)
        return fail(new Error(`answered ${got} instead of ${status}: ${buffer.toString('utf8', 0, 500)}`))
      times.push(performance.now() - begun)
      send()
    })
    socket.on('close', () => fail(new Error('the server closed a connection')))
    const ended = new Promise<void>(resolve => {
      finish = resolve
    })
    return async () => {
      send()
      await ended
      socket.removeAllListeners('close').destroy()
    }
  }
  const clients = await Promise.all(Array.from({ length: connections }, client))
  const sleep = stayAwake()
  try {
    onBegin()
    await Promise.race([failed, Promise.all(clients.map(run => run()))])
  } finally {
    sleep()
  }
  return times
}

/** A write to a process that sleeps has to wake it, which can cost the server more than all else that it does. Returns how to stop. */
const stayAwake = (): (() => void) => {
  let isAwake = true
  const turn = (): void => {
    if (isAwake) setImmediate(turn)
  }
  turn()
  return () => {
    isAwake = false
  }
}
