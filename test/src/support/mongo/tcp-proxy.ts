import { connect as connectTo, createServer, type Server, type Socket } from 'node:net'
import { wireCommands } from './wire-commands.js'

/**
 * - `cut`: connections are closed, and new ones refused
 * - `reset`: connections are reset, and new ones as soon as they are made
 * - `black hole`: bytes are held back without an error, and arrive after the fault
 * - `lost replies`: requests arrive, their replies never do
 * - `slow`: every packet takes 3 seconds
 */
export type Fault = 'cut' | 'reset' | 'black hole' | 'lost replies' | 'slow'

export type TcpProxy = Readonly<{
  url: string
  start: (fault: Fault) => Promise<void>
  restore: () => Promise<void>
  /** The names of the database commands sent so far. */
  commands: () => readonly string[]
  /** The commands that have no reply yet. */
  underWay: () => readonly string[]
  /** Resolves when the next command is sent. */
  nextCommand: () => Promise<void>
  close: () => Promise<void>
}>

const slowMs = 3000

/** A proxy between a driver and its database that can break the connections. It has a URL of its own. */
export const proxyTo = async (databaseUrl: string, initial?: Fault): Promise<TcpProxy> => {
  const [, host = '', port = ''] = /\/\/(?:[^@/]*@)?([^:/]+):(\d+)/.exec(databaseUrl) ?? []
  const sent = commandLog()
  const links = new Set<Link>()
  const now: Now = { fault: initial }
  const server = createServer(client => {
    if (now.fault === 'reset') client.resetAndDestroy()
    else link(client, connectTo(Number(port), host), { now, onCommand: sent.add, links })
  })
  const listeningOn = await listen(server, 0)
  if (initial === 'cut') stopListening(server)
  return {
    url: databaseUrl.replace(`${host}:${port}`, `127.0.0.1:${listeningOn}`),
    ...faultSwitch(now, links, server, listeningOn),
    commands: sent.all,
    underWay: () => [...links].flatMap(link => link.underWay()),
    nextCommand: sent.next,
    close: async () => {
      for (const link of links) sever(link, 'cut')
      stopListening(server)
    },
  }
}

type Now = { fault: Fault | undefined }

const faultSwitch = (
  now: Now,
  links: ReadonlySet<Link>,
  server: Server,
  port: number,
): Pick<TcpProxy, 'start' | 'restore'> => ({
  start: async fault => {
    now.fault = fault
    if (fault === 'cut') stopListening(server)
    if (fault === 'cut' || fault === 'reset') for (const link of links) sever(link, fault)
  },
  restore: async () => {
    if (now.fault === 'cut') await listen(server, port)
    now.fault = undefined
    for (const link of links) repair(link)
  },
})

const commandLog = () => {
  const all: string[] = []
  let waiting: (() => void)[] = []
  return {
    all: (): readonly string[] => all,
    add: (name: string): void => {
      all.push(name)
      const resolves = waiting
      waiting = []
      for (const resolve of resolves) resolve()
    },
    next: () => new Promise<void>(resolve => waiting.push(resolve)),
  }
}

/** A client's connection, joined to the proxy's own to the database. */
type Link = Readonly<{
  client: Socket
  upstream: Socket
  underWay: () => readonly string[]
  hasLost: () => boolean
  flush: () => void
}>

type Wiring = Readonly<{ now: Readonly<Now>; onCommand: (name: string) => void; links: Set<Link> }>

const link = (client: Socket, upstream: Socket, { now, onCommand, links }: Wiring): void => {
  const requests = lane(client, upstream, () => (now.fault === 'lost replies' ? undefined : now.fault))
  const replies = lane(upstream, client, () => now.fault)
  let underWay: readonly string[] = []
  client.on(
    'data',
    wireCommands(name => {
      underWay = [name]
      onCommand(name)
    }),
  )
  upstream.on('data', () => {
    underWay = []
  })
  const flush = (): void => {
    requests.flush()
    replies.flush()
  }
  const made: Link = { client, upstream, underWay: () => underWay, hasLost: replies.hasLost, flush }
  links.add(made)
  for (const socket of [client, upstream])
    socket.on('close', () => {
      if (client.destroyed && upstream.destroyed) links.delete(made)
    })
}

/** After lost bytes the rest of a connection makes no sense, so it is closed. */
const repair = (link: Link): void => {
  if (link.hasLost()) sever(link, 'cut')
  else link.flush()
}

const sever = ({ client, upstream }: Link, how: 'cut' | 'reset'): void => {
  upstream.destroy()
  if (how === 'reset') client.resetAndDestroy()
  else client.destroy()
}

/** Forwards one direction of a connection in order, its end included. */
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

/** Refuses new connections; open ones go on. */
const stopListening = (server: Server): void => {
  if (server.listening) server.close()
}
