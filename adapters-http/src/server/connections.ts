import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Connection } from './connection.js'

/** The open connections of one server. */
export class Connections {
  readonly #open = new Map<Duplex, Connection>()
  #isDraining = false

  add(socket: Socket): void {
    const connection = new Connection(socket)
    if (this.#isDraining) connection.drain()
    this.#open.set(socket, connection)
    socket.once('close', () => {
      this.#open.delete(socket)
      connection.abandon()
    })
  }

  of(socket: Duplex): Connection | undefined {
    return this.#open.get(socket)
  }

  /** From now on every connection is closed after its newest request. */
  drain(): void {
    this.#isDraining = true
    for (const connection of this.#open.values()) connection.drain()
  }

  /** Node does not count these as idle. */
  closeUnused(): void {
    for (const [socket, { hasAsked }] of this.#open) if (!hasAsked) socket.destroy()
  }
}
