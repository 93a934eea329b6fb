import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { PipelineQueue } from './pipeline-queue.js'

const checkMs = 500

type Received = WeakMap<Socket, number>

/**
 * Returns a function that closes idle connections: those without a request in progress that have received nothing for
 * at least the time between two checks, so that a new connection is not idle before its request is read. While the
 * server stops, each check closes them too.
 */
export const watchIdle = (server: Server, sockets: ReadonlySet<Socket>, pipelines: PipelineQueue): (() => void) => {
  /** Bytes that each connection without a request in progress had received at the last two checks. */
  let atLastCheck: Received = new WeakMap()
  let atCheckBefore: Received = new WeakMap()
  const withoutRequest = () => [...sockets].filter(socket => !pipelines.isServing(socket))
  const closeUnchanged = (since: Received): void => {
    for (const socket of withoutRequest()) if (socket.bytesRead === since.get(socket)) socket.destroy()
  }
  server.once('listening', () => {
    const timer = setInterval(() => {
      if (!server.listening) closeUnchanged(atLastCheck)
      atCheckBefore = atLastCheck
      atLastCheck = new WeakMap(withoutRequest().map(socket => [socket, socket.bytesRead]))
    }, checkMs).unref()
    server.once('close', () => clearInterval(timer))
  })
  return () => closeUnchanged(atCheckBefore)
}
