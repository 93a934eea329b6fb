import type { Socket } from 'node:net'
import { type TcpProxy, tcpProxy } from '../faults/tcp-proxy.js'
import { commandName, eachMessage, readRequest } from './wire-message.js'

/** A proxy that reads the commands of MongoDB's protocol, except commands that open connections or end sessions. */
export type MongoProxy = TcpProxy & Readonly<{ commands: () => readonly string[] }>

export const proxyTo = async (databaseUrl: string): Promise<MongoProxy> => {
  const commands: string[] = []
  const watch = (client: Socket): void => {
    const note = eachMessage(message => {
      const { command, isLegacy } = readRequest(message)
      const name = commandName(command)
      if (!isLegacy && name !== 'hello' && name !== 'endSessions') commands.push(name)
    })
    client.on('data', note)
  }
  return { ...(await tcpProxy(databaseUrl, watch)), commands: () => commands }
}
