import { EventEmitter, once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { BSON, type Document } from 'mongodb'

/** What the members of a replica set agree on, and what the network between them and a client is like. */
export class SetState {
  /** The addresses of the members. */
  readonly hosts: string[] = []
  /** The place of the primary among them. During an election there is none. */
  primary: number | undefined = 0
  roundTripMs = 0
  /** Round trips before the first message of a connection, as TCP and TLS need them. */
  openingTrips = 0
  /** The largest document that a member accepts: the driver splits an insert that is larger. */
  maxBsonObjectSize = 16777216

  readonly #processes = [new BSON.ObjectId(), new BSON.ObjectId()]
  readonly #changes = new EventEmitter().setMaxListeners(0)
  #counter = 0
  #isPaused = false

  /** One way of a message. */
  async travel(): Promise<void> {
    if (this.roundTripMs > 0) await pause(this.roundTripMs / 2)
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
    await once(this.#changes, 'changed', { signal: AbortSignal.timeout(ms) }).catch(() => {})
  }

  /** The version of the set that a client has not seen yet tells it that its knowledge is out of date. */
  topologyVersion(member: number): Document {
    return { processId: this.#processes[member], counter: BSON.Long.fromNumber(this.#counter) }
  }

  hello(member: number): Document {
    const isPrimary = member === this.primary
    return {
      ...{ ok: 1, helloOk: true, ismaster: isPrimary, isWritablePrimary: isPrimary, secondary: !isPrimary },
      ...{ setName: 'rs', setVersion: 1, hosts: this.hosts, me: this.hosts[member] },
      ...(this.primary !== undefined && { primary: this.hosts[this.primary] }),
      topologyVersion: this.topologyVersion(member),
      ...{ minWireVersion: 0, maxWireVersion: 21, logicalSessionTimeoutMinutes: 30 },
      ...{ maxBsonObjectSize: this.maxBsonObjectSize, maxMessageSizeBytes: 48000000, maxWriteBatchSize: 100000 },
    }
  }
}
