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
 */
export const networkFaults = {
  gone: ['cut', 'reset'],
  silent: ['black hole'],
  answersLost: ['lost replies'],
  deadPeers: ['dead peers'],
  lostConnections: ['lost connections'],
} as const satisfies OutageFaults

export type NetworkFault = (typeof networkFaults)[keyof typeof networkFaults][number]

export const isNetworkFault = (name: string): name is NetworkFault =>
  Object.values(networkFaults)
    .flat()
    .some(known => known === name)

const maxWaitMs = 10_000

export const addressIn = (url: string): Readonly<{ host: string; port: number }> => {
  const { hostname, port } = new URL(url)
  return { host: hostname, port: Number(port) }
}

/**
 * Starts a proxy between a driver and its database that can disturb the connections. It does not depend on the
 * protocol, but finds texts only in unencrypted requests.
 */
export const tcpProxy = async (databaseUrl: string) => {
  const { host, port } = addressIn(databaseUrl)
  const links = new Set<ReturnType<typeof link>>()
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
  /** Resolves when all these words are in flight. Rejects after `maxWaitMs`. */
  const untilInFlight = async (texts: readonly string[]): Promise<void> => {
    const seen = new Set<string>()
    const isInFlight = (text: string) => {
      // a whole word: `COMMIT` is not in `READ COMMITTED`
      const word = new RegExp(`(?<![A-Za-z])${text}(?![A-Za-z])`)
      const found = [...links].some(({ request }) => word.test(request()))
      if (found) seen.add(text)
      return found
    }
    const signal = AbortSignal.timeout(maxWaitMs)
    const missing = () =>
      texts.filter(text => !seen.has(text)).join(' or ') || `${texts.join(' and ')} at the same time`
    const next = () =>
      once(forwarded, 'request', { signal }).catch(() => {
        throw new Error(`the fault did not begin: no requests with ${missing()} were in flight`)
      })
    while (texts.filter(isInFlight).length < texts.length) await next()
  }
  return {
    /** The URL of the database, with the address of the proxy. */
    url: databaseUrl.replace(`${host}:${port}`, `127.0.0.1:${listeningOn}`),
    /** Begins the fault when requests with all these words, such as `COMMIT`, are in flight. */
    start: async (next: NetworkFault, ...requests: readonly string[]): Promise<void> => {
      await untilInFlight(requests)
      fault = next
      if (fault === 'dead peers') for (const { die } of links) die()
      // `close` only refuses new connections
      if (fault === 'cut') server.close()
      if (fault === 'cut' || fault === 'reset') for (const { sever } of links) sever(fault)
    },
    restore: async (): Promise<void> => {
      if (fault === 'cut') await once(server.listen(listeningOn, '127.0.0.1'), 'listening')
      fault = undefined
      for (const { repair } of links) repair()
    },
    /** Returns the number of open connections of clients. */
    connections: () => [...links].filter(({ isOpen }) => isOpen()).length,
    close: (): void => {
      for (const { sever } of links) sever('cut')
      server.close()
    },
  }
}

/** Joins a connection of a client to a connection to the database. */
const link = (client: Socket, upstream: Socket, replyLimit: number, currentFault: () => NetworkFault | undefined) => {
  let repliesLeft = replyLimit
  let [isDead, hasLost, request] = [false, false, '']
  let held: (() => void)[] = []
  const isOpen = (): boolean => !client.destroyed && !client.readableEnded
  const sever = (how: 'cut' | 'reset'): void => {
    upstream.destroy()
    if (how === 'reset') client.resetAndDestroy()
    else client.destroy()
  }
  const carry = (deliver: () => void, isReply: boolean): void => {
    const fault = currentFault()
    if (isReply && (fault === 'dead peers' || fault === 'lost connections') && repliesLeft-- <= 0) {
      isDead = true
      if (fault === 'lost connections') setImmediate(() => sever('cut'))
    }
    if (isDead) return
    if (fault === 'black hole') held.push(deliver)
    else if (fault === 'lost replies' && isReply) hasLost = true
    else deliver()
  }
  /** Forwards one direction in order, its end included. */
  const forward = (from: Socket, to: Socket, onData: (chunk: Buffer) => void): void => {
    const isReply = from === upstream
    from
      .setNoDelay(true)
      .on('data', chunk => {
        onData(chunk)
        carry(() => to.destroyed || to.write(chunk), isReply)
      })
      .on('end', () => carry(() => to.end(), isReply))
      .on('error', () => {})
      .on('close', () => carry(() => to.destroy(), isReply))
  }
  forward(client, upstream, chunk => {
    request += chunk.toString('latin1')
  })
  forward(upstream, client, () => {
    request = ''
  })
  return {
    sever,
    isOpen,
    /** Returns the text that the client has sent since the last reply. */
    request: () => (isOpen() ? request : ''),
    die: () => {
      isDead = true
    },
    repair: () => {
      // a connection is unusable after lost bytes
      if (hasLost) return sever('cut')
      const now = held
      held = []
      for (const deliver of now) deliver()
    },
  }
}
