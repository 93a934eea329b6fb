import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { PipelineQueue } from './pipeline-queue.js'

const checkMs = 500

/**
 * Returns a function that closes idle connections: those without a request in progress that have received nothing since
 * the last check. While the server stops, each check closes them too.
 */
export const watchIdle = (server: Server, sockets: ReadonlySet<Socket>, pipelines: PipelineQueue): (() => void) => {
  /** Bytes that each connection without a request in progress had received at the last check. */
  let receivedBefore = new WeakMap<Socket, number>()
  const withoutRequest = () => [...sockets].filter(socket => !pipelines.isServing(socket))
  const closeIdle = (): void => {
    for (const socket of withoutRequest()) if (socket.bytesRead === receivedBefore.get(socket)) socket.destroy()
  }
  server.once('listening', () => {
    const timer = setInterval(() => {
      if (!server.listening) closeIdle()
      receivedBefore = new WeakMap(withoutRequest().map(socket => [socket, socket.bytesRead]))
    }, checkMs).unref()
    server.once('close', () => clearInterval(timer))
  })
  return closeIdle
}
