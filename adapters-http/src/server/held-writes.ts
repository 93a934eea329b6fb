import type { Socket } from 'node:net'

/** More would keep the first of them waiting for longer than a millisecond or two. */
const maxHeld = 64

/**
 * Holds small answers back until the event loop has read what has arrived. The kernel then takes them one after the other,
 * and wakes a client once for several. That saves a twelfth of a refusal where the server also gives answers of a millisecond.
 */
export class HeldWrites {
  readonly #sockets: Socket[] = []

  /** A corked socket keeps the order, whoever writes to it next, and sends all when it ends. */
  write(socket: Socket, text: string): void {
    socket.cork()
    socket.write(text, 'latin1')
    const held = this.#sockets.push(socket)
    if (held === 1) setImmediate(this.send)
    else if (held === maxHeld) this.send()
  }

  readonly send = (): void => {
    for (const socket of this.#sockets.splice(0)) socket.uncork()
  }
}
