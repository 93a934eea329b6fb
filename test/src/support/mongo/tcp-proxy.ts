import { EventEmitter, once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { listenOnFreePort } from '../free-port.js'
import { addressIn, commandName, eachMessage, readRequest } from './wire-message.js'

/**
 * - `cut`: closes open connections and refuses new ones
 * - `reset`: resets open and new connections
 * - `black hole`: holds all bytes without an error and delivers them after the fault
 * - `lost replies`: delivers requests and drops replies
 * - `slow`: delays every packet by 3 seconds
 */
export type NetworkFault = 'cut' | 'reset' | 'black hole' | 'lost replies' | 'slow'

export type TcpProxy = Readonly<{
  url: string
  start: (fault: NetworkFault) => void
  restore: () => Promise<void>
  /** Returns the names of all commands so far. */
  commands: () => readonly string[]
  /** Resolves when commands with all these names are in flight. */
  inFlight: (...names: readonly string[]) => Promise<void>
  close: () => void
}>

const slowMs = 3000

/** Starts a proxy between a driver and its database that can disturb the connections. */
export const proxyTo = async (databaseUrl: string): Promise<TcpProxy> => {
  const { host, port } = addressIn(databaseUrl)
  const commands: string[] = []
  const sent = new EventEmitter()
  const links = new Set<Link>()
  let fault: NetworkFault | undefined
  const server = createServer(client => {
    if (fault === 'reset') return client.resetAndDestroy()
    const onCommand = (name: string): void => {
      commands.push(name)
      sent.emit('command')
    }
    return links.add(link(client, connect(port, host), () => fault, onCommand))
  })
  const listeningOn = await listenOnFreePort(server)
  const start = (next: NetworkFault): void => {
    fault = next
    // open connections stay open
    if (fault === 'cut') server.close()
    if (fault === 'cut' || fault === 'reset') for (const { sever } of links) sever(fault)
  }
  return {
    url: databaseUrl.replace(`${host}:${port}`, `127.0.0.1:${listeningOn}`),
    start,
    restore: async () => {
      if (fault === 'cut') await once(server.listen(listeningOn, '127.0.0.1'), 'listening')
      fault = undefined
      for (const { repair } of links) repair()
    },
    commands: () => commands,
    inFlight: async (...names) => {
      const isInFlight = (name: string) => [...links].some(link => link.inFlight() === name)
      while (!names.every(isInFlight)) await once(sent, 'command')
    },
    close: () => {
      for (const { sever } of links) sever('cut')
      server.close()
    },
  }
}

/** A connection of a client, joined to a connection to the database. */
type Link = Readonly<{
  /** Returns the command that has no reply yet. */
  inFlight: () => string | undefined
  sever: (how: 'cut' | 'reset') => void
  repair: () => void
}>

const link = (
  client: Socket,
  upstream: Socket,
  fault: () => NetworkFault | undefined,
  onCommand: (name: string) => void,
): Link => {
  const requests = lane(client, upstream, () => (fault() === 'lost replies' ? undefined : fault()))
  const replies = lane(upstream, client, fault)
  let inFlight: string | undefined
  const note = eachMessage(message => {
    const { command, isLegacy } = readRequest(message)
    if (isLegacy) return
    inFlight = commandName(command)
    onCommand(inFlight)
  })
  client.on('data', note)
  upstream.on('data', () => {
    inFlight = undefined
  })
  const sever = (how: 'cut' | 'reset'): void => {
    upstream.destroy()
    if (how === 'reset') client.resetAndDestroy()
    else client.destroy()
  }
  return {
    inFlight: () => (client.destroyed ? undefined : inFlight),
    sever,
    repair: () => {
      // a connection is unusable after lost bytes
      if (replies.hasLost()) return sever('cut')
      requests.flush()
      replies.flush()
    },
  }
}

/** Forwards one direction of a connection in order, its end included. */
const lane = (from: Socket, to: Socket, fault: () => NetworkFault | undefined) => {
  let held: (() => void)[] = []
  let hasLost = false
  const carry = (deliver: () => void): void => {
    const current = fault()
    if (current === 'lost replies') hasLost = true
    else if (current === 'black hole') held.push(deliver)
    else if (current === 'slow') {
      held.push(deliver)
      setTimeout(() => {
        if (held[0] === deliver) held.shift()?.()
      }, slowMs).unref()
    } else deliver()
  }
  from
    .setNoDelay(true)
    .on('data', chunk => carry(() => to.destroyed || to.write(chunk)))
    .on('error', () => {})
    .on('close', () => carry(() => to.destroy()))
  const flush = (): void => {
    const now = held
    held = []
    for (const deliver of now) deliver()
  }
  return { flush, hasLost: () => hasLost }
}
