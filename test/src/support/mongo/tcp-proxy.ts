import { connect as connectTo, createServer, type Server, type Socket } from 'node:net'
import { wireCommands } from './wire-commands.js'

/**
 * - `cut`: connections end, and new ones are refused
 * - `reset`: connections are reset, and new ones as soon as they are made
 * - `black hole`: nothing arrives, and nobody is told; later it does arrive
 * - `lost replies`: requests arrive, the answers never do
 * - `slow`: every packet takes 3 seconds
 */
export type Fault = 'cut' | 'reset' | 'black hole' | 'lost replies' | 'slow'

export type TcpProxy = Readonly<{
  url: string
  start: (fault: Fault) => Promise<void>
  restore: () => Promise<void>
  /** The names of the database commands that were sent so far. */
  commands: () => readonly string[]
  /** Those of them that have no reply yet. */
  underWay: () => readonly string[]
  /** Resolves when the next command is sent. */
  nextCommand: () => Promise<void>
  close: () => Promise<void>
}>

type Link = Readonly<{
  client: Socket
  upstream: Socket
  underWay: () => readonly string[]
  isDamaged: () => boolean
  flush: () => void
}>

const slowMs = 3000

/** Stands between a driver and its database, at a URL of its own. */
export const proxyTo = async (databaseUrl: string, initial?: Fault): Promise<TcpProxy> => {
  const [, host = '', port = ''] = /\/\/(?:[^@/]*@)?([^:/]+):(\d+)/.exec(databaseUrl) ?? []
  const links = new Set<Link>()
  const commands: string[] = []
  let tellWaiting: (() => void)[] = []
  let fault = initial

  const accept = (client: Socket): void => {
    if (fault === 'reset') {
      client.resetAndDestroy()
      return
    }
    const upstream = connectTo(Number(port), host)
    const requests = lane(client, upstream, () => (fault === 'lost replies' ? undefined : fault))
    const replies = lane(upstream, client, () => fault)
    let underWay: readonly string[] = []
    const names = wireCommands(name => {
      commands.push(name)
      underWay = [name]
      const waiting = tellWaiting
      tellWaiting = []
      for (const tell of waiting) tell()
    })
    client.on('data', names)
    upstream.on('data', () => {
      underWay = []
    })
    const link: Link = {
      client,
      upstream,
      underWay: () => underWay,
      isDamaged: replies.hasLost,
      flush: () => {
        requests.flush()
        replies.flush()
      },
    }
    links.add(link)
    const forget = () => {
      if (client.destroyed && upstream.destroyed) links.delete(link)
    }
    client.on('close', forget)
    upstream.on('close', forget)
  }

  const server = createServer(accept)
  const listeningOn = await listen(server, 0)
  if (fault === 'cut') await stopListening(server)

  return {
    url: databaseUrl.replace(`${host}:${port}`, `127.0.0.1:${listeningOn}`),
    start: async next => {
      fault = next
      if (next === 'cut') await stopListening(server)
      if (next === 'cut' || next === 'reset') for (const link of links) sever(link, next)
    },
    restore: async () => {
      if (fault === 'cut') await listen(server, listeningOn)
      fault = undefined
      for (const link of links) {
        // what is lost stays lost, so the rest of such a connection would make no sense
        if (link.isDamaged()) sever(link, 'cut')
        else link.flush()
      }
    },
    commands: () => commands,
    underWay: () => [...links].flatMap(link => link.underWay()),
    nextCommand: () => new Promise(resolve => tellWaiting.push(resolve)),
    close: async () => {
      for (const link of links) sever(link, 'cut')
      await stopListening(server)
    },
  }
}

const sever = ({ client, upstream }: Link, how: 'cut' | 'reset'): void => {
  upstream.destroy()
  if (how === 'reset') client.resetAndDestroy()
  else client.destroy()
}

/** Carries one direction of a connection, its end included, in order. */
const lane = (from: Socket, to: Socket, fault: () => Fault | undefined) => {
  let held: (() => void)[] = []
  let isLossy = false

  const flush = (): void => {
    const now = held
    held = []
    for (const deliver of now) deliver()
  }
  const carry = (deliver: () => void): void => {
    const current = fault()
    if (current === 'lost replies') isLossy = true
    else if (current === 'black hole') held.push(deliver)
    else if (current === 'slow') {
      held.push(deliver)
      setTimeout(() => {
        if (held[0] === deliver) held.shift()?.()
      }, slowMs).unref()
    } else deliver()
  }

  from.setNoDelay(true)
  from.on('data', chunk => carry(() => to.destroyed || to.write(chunk)))
  from.on('error', () => {})
  from.on('close', () => carry(() => to.destroy()))
  return { flush, hasLost: () => isLossy }
}

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      if (typeof address === 'object' && address !== null) resolve(address.port)
    })
  })

/** Stops taking connections; those that are there go on. */
const stopListening = (server: Server): Promise<void> =>
  new Promise(resolve => {
    if (!server.listening) return resolve()
    server.close()
    resolve()
  })
