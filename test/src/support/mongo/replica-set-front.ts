import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Document } from 'mongodb'
import { addressIn } from '../faults/tcp-proxy.js'
import { listenOnFreePort } from '../free-port.js'
import { ReplicaSetState } from './set-state.js'
import {
  addressedTo,
  commandName,
  eachMessage,
  readReply,
  readRequest,
  replyTo,
  standaloneRequest,
  type WireRequest,
} from './wire-message.js'

export type ReplicaSetFront = Awaited<ReturnType<typeof replicaSetFront>>

/** `undefined` and `deaf` forward the request to the database. After `deaf`, the connection reads nothing more. */
type Reply = Document | 'cut' | 'deaf' | undefined
type Intercept = (command: Document) => Reply | Promise<Reply>
type ChangeReply = (command: Document, reply: Document) => Document | Promise<Document>

type Front = Readonly<{
  state: ReplicaSetState
  host: string
  port: number
  requests: Document[]
  intercept: Intercept
  changeReply?: ChangeReply
  /** Texts, and the byte that replies hold in the place of each of their characters. */
  spoiled: Readonly<Record<string, number>>
  sockets: Set<Socket>
  /** The replies to retryable writes, so that a retry is not applied again. */
  replies: Map<string, Promise<Buffer>>
}>

/**
 * Imitates the two members of a replica set in front of one database, which may be standalone. With `isSharded` the
 * first one is a mongos.
 */
export const replicaSetFront = async (databaseUrl: string, isSharded = false) => {
  const state = new ReplicaSetState(isSharded)
  const front: Front = {
    ...{ state, ...addressIn(databaseUrl), requests: [], sockets: new Set(), replies: new Map() },
    intercept: () => undefined,
    spoiled: {},
  }
  const servers = [0, 1].map(member => createServer(client => serve(client, member, front)))
  for (const server of servers) state.hosts.push(`127.0.0.1:${await listenOnFreePort(server)}`)
  const [, database = ''] = /\/\/[^/]+\/([^?]*)/.exec(databaseUrl) ?? []
  return {
    url: isSharded
      ? `mongodb://${state.hosts[0]}/${database}?directConnection=false`
      : `mongodb://${state.hosts.join(',')}/${database}?replicaSet=rs`,
    /** Sets the round-trip time, and how many round trips a connection needs to open. */
    setLatency: (roundTripMs: number, openingTrips: number) => void Object.assign(state, { roundTripMs, openingTrips }),
    /** Replies to requests in place of the database, or closes the connection. */
    intercept: (intercept: Intercept) => void Object.assign(front, { intercept }),
    /** Holds these requests until the returned function is called. */
    hold: (isHeld: (command: Document) => unknown): (() => void) => {
      let release = (): void => {}
      const released = new Promise<undefined>(resolve => (release = () => resolve(undefined)))
      Object.assign(front, { intercept: (command: Document) => (isHeld(command) ? released : undefined) })
      return release
    },
    /** Changes the replies of the database, which has run the command. */
    interceptReply: (changeReply: ChangeReply) => void Object.assign(front, { changeReply }),
    /** Fills texts in the replies with a byte, because the driver encodes no value that it cannot decode. */
    spoil: (spoiled: Readonly<Record<string, number>>) => void Object.assign(front, { spoiled }),
    /** The primary steps down. The set has no primary until `elect`, which elects a member: by default the second. */
    stepDown: () => state.setPrimary(undefined),
    elect: (member = 1) => state.setPrimary(member),
    setStandalone: (isStandalone: boolean) => void Object.assign(state, { isStandalone }),
    /** The member leaves the set. */
    remove: (member: number) => state.remove(member),
    rejoin: (member: number) => state.rejoin(member),
    nameHosts: (addresses?: readonly string[]) => state.nameHosts(addresses),
    /** Returns all commands so far except heartbeats and ends of sessions. */
    requests: (): readonly Document[] => front.requests,
    /** Returns the names of these commands. */
    commands: (): readonly string[] => front.requests.map(commandName),
    close: (): void => {
      for (const server of servers) server.close()
      for (const socket of front.sockets) socket.destroy()
    },
  }
}

const serve = (client: Socket, member: number, front: Front): void => {
  const { state, sockets } = front
  const upstream = connect(front.port, front.host).setNoDelay(true)
  const send = async (reply: Buffer): Promise<void> => {
    await state.travel()
    if (!client.destroyed) client.write(spoil(reply, front.spoiled))
  }
  const replied = (): Promise<Buffer> =>
    new Promise(resolve => {
      const read = eachMessage(reply => {
        upstream.off('data', read)
        resolve(reply)
      })
      upstream.on('data', read)
    })
  const handle = async (request: WireRequest): Promise<void> => {
    const { command } = request
    if ('hello' in command || 'ismaster' in command || 'isMaster' in command) return greet(request)
    if (!('endSessions' in command)) front.requests.push(command)
    const reply = await front.intercept(command)
    if (reply === 'cut') return void client.destroy()
    if (reply === 'deaf') client.pause()
    else if (reply !== undefined) return send(replyTo(request, reply))
    if (member !== state.primary) return send(replyTo(request, notPrimary(state, member)))
    const applied = await appliedOnce(front, command, () => {
      upstream.write(standaloneRequest(request))
      return replied()
    })
    const { changeReply } = front
    return send(
      changeReply ? replyTo(request, await changeReply(command, readReply(applied))) : addressedTo(request, applied),
    )
  }
  /** Replies at once, or, if the client knows the state of the set, at the next change or after `maxAwaitTimeMS`. */
  const greet = async (request: WireRequest): Promise<void> => {
    const { topologyVersion, maxAwaitTimeMS } = request.command
    if (topologyVersion === undefined) return send(replyTo(request, state.hello(member)))
    const current = (): bigint => state.topologyVersion(member).counter.toBigInt()
    let seen: bigint = topologyVersion.counter.toBigInt()
    do {
      if (seen === current()) await state.changeWithin(Number(maxAwaitTimeMS))
      seen = current()
      await send(replyTo(request, state.hello(member), request.isExhaust))
    } while (request.isExhaust && !client.destroyed)
  }
  let turn = pause(state.roundTripMs * state.openingTrips)
  const read = eachMessage(message => {
    const request = readRequest(message)
    turn = turn
      .then(() => state.travel())
      .then(() => handle(request))
      .catch(() => void client.destroy())
  })
  sockets.add(client)
  client
    .setNoDelay(true)
    .on('data', read)
    .on('error', () => {})
    .on('close', () => {
      sockets.delete(client)
      upstream.destroy()
    })
  upstream.on('error', () => {}).on('close', () => client.destroy())
}

const spoil = (reply: Buffer, spoiled: Front['spoiled']): Buffer => {
  const copy = Buffer.from(reply)
  for (const [text, byte] of Object.entries(spoiled))
    for (let i = copy.indexOf(text); i >= 0; i = copy.indexOf(text)) copy.fill(byte, i, i + text.length)
  return copy
}

const notPrimary = (state: ReplicaSetState, member: number): Document => ({
  ok: 0,
  code: 10107,
  codeName: 'NotWritablePrimary',
  errmsg: 'not primary',
  errorLabels: ['RetryableWriteError'],
  topologyVersion: state.topologyVersion(member),
})

const appliedOnce = ({ replies }: Front, command: Document, run: () => Promise<Buffer>): Promise<Buffer> => {
  const { lsid, txnNumber } = command
  if (txnNumber === undefined) return run()
  const key = `${lsid.id.toString('hex')} ${txnNumber}`
  const reply = replies.get(key) ?? run()
  replies.set(key, reply)
  return reply
}
