import { EventEmitter, once } from 'node:events'
import type { Socket } from 'node:net'
import { type TcpProxy, tcpProxy } from '../faults/tcp-proxy.js'
import { commandName, eachMessage, readRequest } from './wire-message.js'

/** A proxy that reads the commands of MongoDB's protocol. */
export type MongoProxy = TcpProxy &
  Readonly<{
    commands: () => readonly string[]
    /** Resolves when commands with all these names are in flight. */
    inFlight: (...names: readonly string[]) => Promise<void>
  }>

export const proxyTo = async (databaseUrl: string): Promise<MongoProxy> => {
  const commands: string[] = []
  const sent = new EventEmitter()
  /** Each returns the command of its connection that has no reply yet. */
  const pending = new Set<() => string | undefined>()
  const watch = (client: Socket, upstream: Socket): void => {
    let name: string | undefined
    const note = eachMessage(message => {
      const { command, isLegacy } = readRequest(message)
      if (isLegacy) return
      name = commandName(command)
      commands.push(name)
      sent.emit('command')
    })
    client.on('data', note)
    upstream.on('data', () => {
      name = undefined
    })
    pending.add(() => (client.destroyed || client.readableEnded ? undefined : name))
  }
  return {
    ...(await tcpProxy(databaseUrl, watch)),
    commands: () => commands,
    inFlight: async (...names) => {
      const isInFlight = (name: string) => [...pending].some(commandOf => commandOf() === name)
      while (!names.every(isInFlight)) await once(sent, 'command')
    },
  }
}
