import { IncomingMessage } from 'node:http'
import type { PoliteResponse } from './polite-response.js'
import { slowBodies } from './slow-bodies.js'

const pieceLength = 4096
/** From here on a piece is large enough to be passed on as it is. */
const largeLength = 1024

/** A packet may hold ten thousand pieces of a byte, each of which takes a microsecond or two. */
const tinyLength = 64
const tinyInTurn = 1024

/** Takes the pieces of a body instead of the stream. It keeps none but the first. */
export type BodySink = Readonly<{
  /** False when it wants no more: the rest goes to the stream. */
  take: (piece: Buffer) => boolean
  end: () => void
  /** The client has left. */
  lose: () => void
}>

/**
 * A request whose body arrives in pieces worth having. Each piece that Node passes on is a Buffer, which costs more than a
 * hundred bytes; so a body that is sent a byte at a time, in chunks or in packets, would cost seventy times its size. For a stream
 * small pieces are gathered into larger ones here. The first is passed on at once, so that a usual body costs nothing.
 */
export class GatheredRequest extends IncomingMessage {
  declare private hasStarted?: true
  declare private gathered?: Buffer | undefined
  declare private length?: number
  declare private sink?: BodySink | undefined
  private tinyPieces = 0
  /** The response that was made without Node, once Node takes the request over. */
  declare earlyResponse?: PoliteResponse

  /** From now on the body goes past the stream, whose events took a tenth of a creation. */
  divert(sink: BodySink): void {
    this.flush()
    const arrived: Buffer | null = this.readableLength > 0 ? this.read() : null
    if (arrived !== null && !sink.take(arrived)) return
    if (this.complete) sink.end()
    else if (this.destroyed) sink.lose()
    else this.sink = sink
  }

  /** Where the parser has let go of a request without a body, its stream ends when somebody reads it. */
  override _read(size: number): void {
    if (this.complete) this.push(null)
    else super._read(size)
  }

  override push(piece: Buffer | null): boolean {
    if (piece === null) {
      this.flush()
      this.sink?.end()
      this.sink = undefined
      return super.push(null)
    }
    if (piece.length < tinyLength && ++this.tinyPieces % tinyInTurn === 0) slowBodies.wait(this)
    if (this.sink !== undefined) return this.pass(this.sink, piece)
    if (this.hasStarted && piece.length < largeLength) return this.gather(piece)
    this.hasStarted = true
    this.flush()
    return super.push(piece)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.sink?.lose()
    this.sink = undefined
    super._destroy(error, done)
  }

  /** What is gathered does not count as unread: only the stream may ask for a pause, as only what it has taken ends one. */
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

  private pass(sink: BodySink, piece: Buffer): true {
    if (!sink.take(piece)) this.sink = undefined
    return true
  }
}
