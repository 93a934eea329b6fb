import { EventEmitter, once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { BSON, type Document } from 'mongodb'

/**
 * - `silently`: the connection stays, and its client waits
 * - `by closing`: the connection ends in place of the reply
 * - `once`: the same, but only for the next reply
 */
export type Loss = 'silently' | 'by closing' | 'once'

/** What the members of a replica set agree on, and what the network between them and a client is like. */
export class SetState {
  /** The addresses of the members. */
  readonly hosts: string[] = []
  /** The place of the primary among them. During an election there is none. */
  primary: number | undefined = 0
  roundTripMs = 0
  /** Round trips before the first message of a connection, as TCP and TLS need them. */
  openingTrips = 0
  lost: Loss | undefined
  /** How much longer a message takes to or from a member. */
  readonly slowness = new Map<number, number>()

  readonly #processes = [new BSON.ObjectId(), new BSON.ObjectId(), new BSON.ObjectId()]
  readonly #changes = new EventEmitter().setMaxListeners(0)
  #counter = 0
  #isPaused = false

  /** One way of a message. */
  async travel(member: number): Promise<void> {
    const ms = this.roundTripMs / 2 + (this.slowness.get(member) ?? 0)
    if (ms > 0) await pause(ms)
    while (this.#isPaused) await once(this.#changes, 'resumed')
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#changes.emit('resumed')
  }

  setPrimary(member: number | undefined): void {
    this.primary = member
    this.#counter++
    this.#changes.emit('changed')
  }

  /** Resolves at the next change of the primary, or after that time. */
  async changeWithin(ms: number): Promise<void> {
    const over = new AbortController()
    const changed = once(this.#changes, 'changed', { signal: over.signal }).catch(() => {})
    await Promise.race([changed, pause(ms, undefined, { signal: over.signal }).catch(() => {})])
    over.abort()
  }

  /** The version of the set that a client has not seen yet tells it that its knowledge is out of date. */
  topologyVersion(member: number): Document {
    return { processId: this.#processes[member], counter: BSON.Long.fromNumber(this.#counter) }
  }

  hello(member: number): Document {
    const me = this.hosts[member]
    return {
      ok: 1,
      helloOk: true,
      ismaster: member === this.primary,
      isWritablePrimary: member === this.primary,
      secondary: member !== this.primary,
      setName: 'rs',
      setVersion: 1,
      hosts: this.hosts,
      me,
      ...(this.primary !== undefined && { primary: this.hosts[this.primary] }),
      topologyVersion: this.topologyVersion(member),
      minWireVersion: 0,
      maxWireVersion: 21,
      maxBsonObjectSize: 16777216,
      maxMessageSizeBytes: 48000000,
      maxWriteBatchSize: 100000,
      logicalSessionTimeoutMinutes: 30,
    }
  }
}
