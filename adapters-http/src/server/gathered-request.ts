import { IncomingMessage } from 'node:http'

const pieceLength = 4096
/** From here on a piece is large enough to be passed on as it is. */
const largeLength = 1024

/**
 * A request whose body arrives in pieces worth having. Each piece that Node passes on is a Buffer, which costs more than a
 * hundred bytes; so a body that is sent a byte at a time, in chunks or in packets, would cost seventy times its size. Small
 * pieces are gathered into larger ones here. The first is passed on at once, so that a usual body costs nothing.
 */
export class GatheredRequest extends IncomingMessage {
  declare private hasStarted?: true
  declare private gathered?: Buffer | undefined
  declare private length?: number

  override push(piece: Buffer | null): boolean {
    if (piece === null) {
      this.flush()
      return super.push(null)
    }
    if (this.hasStarted && piece.length < largeLength) return this.gather(piece)
    this.hasStarted = true
    this.flush()
    return super.push(piece)
  }

  /** What is gathered does not count as unread: only `super.push` may ask for a pause, as only what it has taken ends one. */
  private gather(piece: Buffer): boolean {
    const isRoom = (this.length ?? 0) + piece.length <= pieceLength
    const goesOn = isRoom || this.flush()
    this.gathered ??= Buffer.allocUnsafe(pieceLength)
    this.length = (this.length ?? 0) + piece.copy(this.gathered, this.length)
    return goesOn
  }

  private flush(): boolean {
    if (this.gathered === undefined) return true
    const piece = this.gathered.subarray(0, this.length)
    this.gathered = undefined
    this.length = 0
    // a few bytes do not keep a whole buffer in memory
    return super.push(piece.length < largeLength ? Buffer.from(piece) : piece)
  }
}
