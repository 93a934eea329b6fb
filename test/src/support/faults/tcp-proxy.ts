import { EventEmitter, once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { OutageFaults } from '../../contracts/storage/outage-contract.js'
import { listenOnFreePort } from '../free-port.js'

/**
 * - `cut`: closes open connections and refuses new ones
 * - `reset`: resets open and new connections
 * - `black hole`: holds all bytes without an error and delivers them after the fault
 * - `dead peers`: drops all bytes of the open connections, also after the fault, and never closes them. New connections
 *   deliver a few replies, then die in the same way: often within a transaction, so that the server keeps its locks
 * - `lost connections`: every connection delivers a few replies, drops the next one and closes
 * - `lost replies`: delivers requests and drops replies
 * - `slow`: delays every packet by 3 seconds
 */
export const networkFaults = {
  gone: ['cut', 'reset'],
  silent: ['black hole', 'slow'],
  answersLost: ['lost replies'],
  deadPeers: ['dead peers'],
  lostConnections: ['lost connections'],
} as const satisfies OutageFaults

export type NetworkFault = (typeof networkFaults)[keyof typeof networkFaults][number]

export const isNetworkFault = (name: string): name is NetworkFault =>
  Object.values(networkFaults)
    .flat()
    .some(known => known === name)

export type TcpProxy = Readonly<{
  /** The URL of the database, with the address of the proxy. */
  url: string
  /** Begins the fault when requests with all these words, such as `COMMIT`, are in flight, or after 2 seconds. */
  start: (fault: NetworkFault, ...requests: readonly string[]) => Promise<void>
  restore: () => Promise<void>
  /** Returns the number of open connections of clients. */
  connections: () => number
  close: () => void
}>

const slowMs = 3000
const maxWaitMs = 2000

export const addressIn = (url: string): Readonly<{ host: string; port: number }> => {
  const [, host = '', port] = /\/\/(?:[^@/]*@)?([^:/]+):(\d+)/.exec(url) ?? []
  if (port === undefined) throw new Error('The URL of the database must name a host and a port.')
  return { host, port: Number(port) }
}

/**
 * Starts a proxy between a driver and its database that can disturb the connections. It does not depend on the protocol, but
 * finds texts only in unencrypted requests.
 */
export const tcpProxy = async (databaseUrl: string): Promise<TcpProxy> => {
  const { host, port } = addressIn(databaseUrl)
  const links = new Set<Link>()
  const forwarded = new EventEmitter()
  let fault: NetworkFault | undefined
  // the proxy closes a side only after the other side has closed
  const server = createServer({ allowHalfOpen: true }, client => {
    if (fault === 'reset') {
      client.resetAndDestroy()
      return
    }
    const upstream = connect({ port, host, allowHalfOpen: true })
    // 2 to 12 replies, so that each kind of command loses its reply
    links.add(link(client, upstream, 2 + ((links.size * 7) % 11), () => fault))
    client.on('data', () => forwarded.emit('request'))
  })
  const listeningOn = await listenOnFreePort(server)
  /** Resolves when all these words are in flight, or after `maxWaitMs`. */
  const untilInFlight = async (texts: readonly string[]): Promise<void> => {
    const isInFlight = (text: string) => {
      // a whole word: `COMMIT` is not in `READ COMMITTED`
      const word = new RegExp(`(?<![A-Za-z])${text}(?![A-Za-z])`)
      return [...links].some(({ request }) => word.test(request().toString('latin1')))
    }
    const signal = AbortSignal.timeout(maxWaitMs)
    const next = () => once(forwarded, 'request', { signal }).catch(() => {})
    while (!texts.every(isInFlight) && !signal.aborted) await next()
  }
  const start = async (next: NetworkFault, ...requests: readonly string[]): Promise<void> => {
    if (requests.length > 0) await untilInFlight(requests)
    fault = next
    if (fault === 'dead peers') for (const { die } of links) die()
    // `close` only refuses new connections
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
    connections: () => [...links].filter(({ isOpen }) => isOpen()).length,
    close: () => {
      for (const { sever } of links) sever('cut')
      server.close()
    },
  }
}

/** A connection of a client, joined to a connection to the database. */
type Link = Readonly<{
  sever: (how: 'cut' | 'reset') => void
  die: () => void
  repair: () => void
  isOpen: () => boolean
  /** Returns the bytes that the client has sent since the last reply. */
  request: () => Buffer
}>

const noRequest = Buffer.alloc(0)

const link = (
  client: Socket,
  upstream: Socket,
  replyLimit: number,
  faultOfAll: () => NetworkFault | undefined,
): Link => {
  let isDead = false
  let repliesLeft = replyLimit
  let request = noRequest
  const requests = forwarder(client, upstream, () => {
    if (isDead) return 'dead peers'
    const current = faultOfAll()
    return current === 'black hole' || current === 'slow' ? current : undefined
  })
  const replies = forwarder(upstream, client, () => {
    const current = faultOfAll()
    if (isDead) return 'dead peers'
    if (current !== 'lost connections' && current !== 'dead peers') return current
    if (repliesLeft-- > 0) return undefined
    isDead = true
    if (current === 'lost connections') setImmediate(() => sever('cut'))
    return 'dead peers'
  })
  client.on('data', chunk => {
    request = Buffer.concat([request, chunk])
  })
  upstream.on('data', () => {
    request = noRequest
  })
  const isOpen = (): boolean => !client.destroyed && !client.readableEnded
  const sever = (how: 'cut' | 'reset'): void => {
    upstream.destroy()
    if (how === 'reset') client.resetAndDestroy()
    else client.destroy()
  }
  return {
    sever,
    isOpen,
    request: () => (isOpen() ? request : noRequest),
    die: () => {
      isDead = true
    },
    repair: () => {
      // a connection is unusable after lost bytes
      if (replies.hasLost()) return sever('cut')
      requests.flush()
      replies.flush()
    },
  }
}

/** Forwards one direction of a connection in order, its end included. */
const forwarder = (from: Socket, to: Socket, fault: () => NetworkFault | undefined) => {
  let held: (() => void)[] = []
  let hasLost = false
  const carry = (deliver: () => void): void => {
    const current = fault()
    if (current === 'dead peers') return
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
    .on('end', () => carry(() => to.end()))
    .on('error', () => {})
    .on('close', () => carry(() => to.destroy()))
  const flush = (): void => {
    const now = held
    held = []
    for (const deliver of now) deliver()
  }
  return { flush, hasLost: () => hasLost }
}
