import { EventEmitter, once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { BSON, type Document } from 'mongodb'

/** The state that the members of a replica set share, and the state of the network between them and a client. */
export class ReplicaSetState {
  /** The addresses of the members. */
  readonly hosts: string[] = []
  /** The index of the primary in `hosts`, or undefined during an election. */
  primary: number | undefined = 0
  roundTripMs = 0
  /** Whether the members run outside of their set, as for maintenance. */
  isStandalone = false
  /** Round trips before the first message of a connection, as TCP and TLS need them. */
  openingTrips = 0

  readonly #processes = [new BSON.ObjectId(), new BSON.ObjectId()]
  readonly #changes = new EventEmitter().setMaxListeners(0)
  readonly #isSharded: boolean
  readonly #removed = new Set<number>()
  #named: readonly string[] | undefined
  #counter = 0
  #setVersion = 1

  constructor(isSharded: boolean) {
    this.#isSharded = isSharded
  }

  /** Resolves when a message has arrived: after half a round trip. */
  async travel(): Promise<void> {
    if (this.roundTripMs > 0) await pause(this.roundTripMs / 2)
  }

  setPrimary(member: number | undefined): void {
    this.primary = member
    this.#counter++
    this.#changes.emit('changed')
  }

  /** The member leaves the set, although it goes on to answer. */
  remove(member: number): void {
    this.#removed.add(member)
    this.#setVersion++
    this.setPrimary(this.primary === member ? undefined : this.primary)
  }

  rejoin(member: number): void {
    this.#removed.delete(member)
    this.#setVersion++
    this.setPrimary(this.primary)
  }

  /** The members name these addresses in place of their own, or their own again. */
  nameHosts(addresses?: readonly string[]): void {
    this.#named = addresses
    this.#setVersion++
    this.setPrimary(this.primary)
  }

  /** Resolves at the next change of the primary, or after this time. */
  async changeWithin(ms: number): Promise<void> {
    await once(this.#changes, 'changed', { signal: AbortSignal.timeout(ms) }).catch(() => {})
  }

  /** Returns the version of the set. A client that gets a newer version drops its state of the set. */
  topologyVersion(member: number): Document {
    return { processId: this.#processes[member], counter: BSON.Long.fromNumber(this.#counter) }
  }

  hello(member: number): Document {
    const isPrimary = member === this.primary
    const memberOfSet = {
      ...{
        secondary: !isPrimary,
        setName: 'rs',
        setVersion: this.#setVersion,
        hosts: this.#named ?? this.hosts.filter((_, i) => !this.#removed.has(i)),
        me: (this.#named ?? this.hosts)[member],
      },
      ...(this.primary !== undefined && { primary: this.hosts[this.primary] }),
      topologyVersion: this.topologyVersion(member),
    }
    return {
      ...{ ok: 1, helloOk: true, ismaster: isPrimary, isWritablePrimary: isPrimary },
      ...(this.#isSharded ? { msg: 'isdbgrid' } : this.isStandalone ? {} : memberOfSet),
      ...{ minWireVersion: 0, maxWireVersion: 21, logicalSessionTimeoutMinutes: 30 },
      ...{ maxBsonObjectSize: 16777216, maxMessageSizeBytes: 48000000, maxWriteBatchSize: 100000 },
    }
  }
}
