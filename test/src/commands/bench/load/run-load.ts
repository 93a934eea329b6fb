import { connect, type Socket } from 'node:net'
import { stayAwake } from '../../measuring/stay-awake.js'
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

/**
 * A closed loop: every connection sends its next request when it has its answer. Returns milliseconds per request. Each
 * connection has one answer before `onBegin`, as accepting it costs a server more than a request, and closes after the last.
 */
export const runLoad = async (load: Load, onBegin: () => void): Promise<readonly number[]> => {
  const { port, connections, requests, status } = load
  const times: number[] = []
  let next = 0
  let fail: (error: Error) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  const openClient = async () => {
    const scan = createScan()
    let onAnswer = (): void => {}
    const socket = await connected(port, (length, buffer) => {
      const got = scan.add(buffer, length)
      if (got === 0) return
      if (got === status) onAnswer()
      else fail(new Error(`answered ${got} instead of ${status}: ${buffer.toString('utf8', 0, 500)}`))
    })
    socket.on('close', () => fail(new Error('the server closed a connection')))
    const warmUp = (request: Buffer): Promise<void> =>
      new Promise(resolve => {
        onAnswer = resolve
        socket.write(request)
      })
    const run = (): Promise<void> =>
      new Promise(resolve => {
        let begun = 0
        const askNext = (): void => {
          const request = requests[next++]
          begun = performance.now()
          if (request === undefined) resolve()
          else socket.write(request)
        }
        onAnswer = () => {
          times.push(performance.now() - begun)
          askNext()
        }
        askNext()
      })
    return { warmUp, run, close: () => socket.removeAllListeners('close').destroy() }
  }
  const clients = await Promise.all(Array.from({ length: connections }, openClient))
  const sleep = stayAwake()
  const [first] = requests
  try {
    if (first !== undefined) await Promise.race([failed, Promise.all(clients.map(({ warmUp }) => warmUp(first)))])
    onBegin()
    await Promise.race([failed, Promise.all(clients.map(({ run }) => run()))])
  } finally {
    sleep()
    for (const { close } of clients) close()
  }
  return times
}
