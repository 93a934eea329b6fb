import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { BSON, type Document } from 'mongodb'
import { listenOnFreePort } from '../free-port.js'
import { type Loss, SetState } from './set-state.js'
import { addressedTo, eachMessage, type Request, readRequest, replyTo, standaloneRequest } from './wire-message.js'

/** Plays the members of a replica set in front of one database, which may belong to no set. */
export type ReplicaSetFront = Readonly<{
  url: string
  /** How long every message takes, there and back together; and how many such trips it takes to open a connection. */
  moveAway: (roundTripMs: number, openingTrips?: number) => void
  /** Holds every message, and lets all of them go on. */
  pause: () => void
  resume: () => void
  /** The primary steps down; after that time the next member is primary. */
  elect: (ms: number) => Promise<void>
  /** Commands are done, but their replies are lost. Heartbeats are answered. */
  loseReplies: (how: Loss | undefined) => void
  /** Every message to or from that member takes so much longer. */
  slowDown: (member: number, ms: number) => void
  /** The names of the commands so far, without heartbeats, and the connections that are open. */
  commands: () => readonly string[]
  /** The same commands, as they were sent. */
  requests: () => readonly Document[]
  connections: () => number
  close: () => void
}>

type Front = Readonly<{
  state: SetState
  host: string
  port: number
  requests: Document[]
  sockets: Set<Socket>
  /** The replies to retryable writes, so that a second try is not applied again. */
  replies: Map<string, Promise<Buffer>>
}>

export const replicaSetFront = async (databaseUrl: string, members = 2): Promise<ReplicaSetFront> => {
  const [, host = '', port = ''] = /\/\/(?:[^@/]*@)?([^:/]+):(\d+)/.exec(databaseUrl) ?? []
  const state = new SetState()
  const front: Front = { state, host, port: Number(port), requests: [], sockets: new Set(), replies: new Map() }
  const servers = Array.from({ length: members }, (_, member) => createServer(client => serve(client, member, front)))
  for (const server of servers) state.hosts.push(`127.0.0.1:${await listenOnFreePort(server)}`)
  const [, database = ''] = /\/\/[^/]+\/([^?]*)/.exec(databaseUrl) ?? []
  return {
    url: `mongodb://${state.hosts.join(',')}/${database}?replicaSet=rs`,
    moveAway: (roundTripMs, openingTrips = 0) => Object.assign(state, { roundTripMs, openingTrips }),
    pause: () => state.pause(),
    resume: () => state.resume(),
    elect: async ms => {
      const next = ((state.primary ?? 0) + 1) % members
      state.setPrimary(undefined)
      await pause(ms)
      state.setPrimary(next)
    },
    loseReplies: how => {
      state.lost = how
    },
    slowDown: (member, ms) => state.slowness.set(member, ms),
    commands: () => front.requests.map(nameOf),
    requests: () => front.requests,
    connections: () => front.sockets.size,
    close: () => {
      for (const server of servers) server.close()
      for (const socket of front.sockets) socket.destroy()
    },
  }
}

const nameOf = (command: Document): string => Object.keys(command)[0] ?? ''

const serve = (client: Socket, member: number, front: Front): void => {
  const { state, sockets } = front
  const upstream = connect(front.port, front.host)
  const ask = questionsTo(upstream)
  const send = async (reply: Buffer): Promise<void> => {
    await state.travel(member)
    if (!client.destroyed) client.write(reply)
  }
  const answer = async (request: Request): Promise<void> => {
    if (isHello(request)) return greet(request, member, front, () => client.destroyed, send)
    front.requests.push(request.command)
    if (nameOf(request.command) === 'saslStart') return send(replyTo(request, signedIn))
    if (member !== state.primary) return send(replyTo(request, notPrimary(state, member)))
    const reply = await once(front, request, () => ask(standaloneRequest(request)))
    const { lost } = state
    if (lost === undefined) return send(addressedTo(request, reply))
    if (lost === 'once') state.lost = undefined
    if (lost !== 'silently') client.destroy()
  }
  let turn = pause(state.roundTripMs * state.openingTrips)
  client.setNoDelay(true).on(
    'data',
    eachMessage(message => {
      const request = readRequest(message)
      turn = turn
        .then(() => state.travel(member))
        .then(() => answer(request))
        .catch(() => void client.destroy())
    }),
  )
  sockets.add(client)
  client
    .on('error', () => {})
    .on('close', () => {
      sockets.delete(client)
      upstream.destroy()
    })
  upstream.on('close', () => client.destroy())
}

/** Sends one message at a time, and resolves with the reply. */
const questionsTo = (upstream: Socket): ((message: Buffer) => Promise<Buffer>) => {
  let resolveNext: (reply: Buffer) => void = () => {}
  upstream
    .setNoDelay(true)
    .on('error', () => {})
    .on(
      'data',
      eachMessage(reply => resolveNext(reply)),
    )
  return message =>
    new Promise(resolve => {
      resolveNext = resolve
      upstream.write(message)
    })
}

const isHello = ({ command }: Request): boolean => 'hello' in command || 'ismaster' in command || 'isMaster' in command

/** Answers at once, or when the client knows the set already: at its next change or after the time that the client allows. */
const greet = async (
  request: Request,
  member: number,
  { state }: Front,
  isGone: () => boolean,
  send: (reply: Buffer) => Promise<void>,
): Promise<void> => {
  const { topologyVersion, maxAwaitTimeMS } = request.command
  if (topologyVersion === undefined) return send(replyTo(request, state.hello(member)))
  let seen: bigint = topologyVersion.counter.toBigInt()
  do {
    if (seen === state.topologyVersion(member).counter.toBigInt()) await state.changeWithin(Number(maxAwaitTimeMS))
    seen = state.topologyVersion(member).counter.toBigInt()
    await send(replyTo(request, state.hello(member), request.isExhaust))
  } while (request.isExhaust && !isGone())
}

const signedIn: Document = { ok: 1, conversationId: 1, done: true, payload: new BSON.Binary(Buffer.alloc(0)) }

const notPrimary = (state: SetState, member: number): Document => ({
  ok: 0,
  code: 10107,
  codeName: 'NotWritablePrimary',
  errmsg: 'not primary',
  errorLabels: ['RetryableWriteError'],
  topologyVersion: state.topologyVersion(member),
})

const once = ({ replies }: Front, { command }: Request, run: () => Promise<Buffer>): Promise<Buffer> => {
  const { lsid, txnNumber } = command
  if (txnNumber === undefined) return run()
  const key = `${lsid.id.toString('hex')} ${txnNumber}`
  const reply = replies.get(key) ?? run()
  replies.set(key, reply)
  return reply
}
