import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { overloaded } from './admission.js'
import { Connection, type ConnectionParts } from './connection.js'
import type { ServerLimits } from './limits.js'

/** How many refused connections may linger, so that their clients can read why. */
const maxRefused = 256

type Parts = ConnectionParts & Readonly<{ limits: Pick<ServerLimits, 'connections'> }>

/** The open connections of one server. */
export class Connections {
  readonly #open = new Map<Duplex, Connection>()
  /** Those of them that had no place. They are closing, so that closing one makes no room. */
  readonly #refused = new Set<Duplex>()
  readonly #parts: Parts
  #accepted = 0
  #hold: Promise<void> | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  add(socket: Socket): void {
    const known = this.#open.get(socket)
    // given to the server again
    if (known !== undefined) {
      known.attach()
      return
    }
    const connection = new Connection(socket, this.#parts)
    if (!this.#hasRoom() && !this.#closeOldestIdle()) {
      this.#makeRoomToRefuse()
      this.#refused.add(socket)
      connection.refuse(overloaded)
    }
    this.#accepted++
    if (this.#hold !== undefined) connection.drain(this.#hold)
    this.#open.set(socket, connection)
    socket.once('close', () => {
      this.#open.delete(socket)
      this.#refused.delete(socket)
      connection.abandon()
    })
  }

  #makeRoomToRefuse(): void {
    const [oldest] = this.#refused
    if (oldest === undefined || this.#refused.size < maxRefused) return
    this.#refused.delete(oldest)
    this.#open.delete(oldest)
    oldest.destroy()
  }

  #hasRoom(): boolean {
    return this.#open.size - this.#refused.size < this.#parts.limits.connections
  }

  /** False when every connection has a request in flight, or has only just come. */
  #closeOldestIdle(): boolean {
    for (const [socket, connection] of this.#open) {
      if (!connection.hasNothingToDo || this.#refused.has(socket)) continue
      this.#open.delete(socket)
      socket.destroy()
      return true
    }
    return false
  }

  of(socket: Duplex): Connection | undefined {
    return this.#open.get(socket)
  }

  get accepted(): number {
    return this.#accepted
  }

  /** From now on every connection is closed after its newest request. New requests begin when `hold` resolves. */
  drain(hold: Promise<void>): void {
    this.#hold = hold
    for (const connection of this.#open.values()) connection.drain(hold)
  }

  /** Closes the connections on which nothing happens any more. */
  closeSilent(): void {
    for (const connection of this.#open.values()) connection.closeIfSilent()
  }

  destroyAll(): void {
    for (const connection of this.#open.values()) connection.cut()
  }

  async allClosed(): Promise<void> {
    for (const socket of this.#open.keys()) await new Promise<void>(resolve => socket.once('close', () => resolve()))
  }
}
