import { errorCode } from '../error-code.js'
import { levels } from './log-line.js'

type Options = Readonly<{
  /** Takes bytes and returns how many. Throws EAGAIN when it can take none now. */
  write: (bytes: Uint8Array) => number
  /** How many bytes may wait to be written. */
  maxWaiting: number
  /** Called when lines get out again, with the number of those that were dropped. */
  onResume: (dropped: number) => void
}>

/** Up to so many bytes enter a pipe whole or not at all, so that the lines of several processes do not mix (pipe(7)). */
const atomicBytes = 4096

/** Of a string, in UTF-8. */
const maxBytesOfUnit = 3

const retryMs = 50
const pauseMs = 5
const newline = 10

/** Extra room for error lines once the queue is full. */
const reserve = 64 * 1024

/**
 * Writes lines without ever waiting for the reader: one write for all lines of a turn of the event loop. What the reader
 * does not take waits, up to a bound, and then is dropped and counted. A broken pipe drops as well, and is tried again by
 * the next line, as a named pipe may get another reader.
 *
 * Lines wait as bytes in one buffer, made of some twenty lines at a time. One at a time took twice as long; as strings, those
 * of a busy second outlived V8's young generation: most of what 100,000 requests left behind in the old one was access log.
 */
export class LineOutput {
  readonly #options: Options
  /** The system gives it memory only as far as it is used. */
  readonly #bytes: Buffer
  /** Where in it the waiting lines begin and end. */
  #start = 0
  #end = 0
  /** The latest lines, which are not bytes yet. */
  #text = ''
  #dropped = 0
  #isScheduled = false

  constructor(options: Options) {
    this.#options = options
    this.#bytes = Buffer.allocUnsafeSlow(options.maxWaiting + reserve)
  }

  write(line: string, level: number): void {
    if (!this.#hasRoomFor(line, level)) {
      this.#dropped++
      return
    }
    this.#text += line
    if (this.#text.length >= atomicBytes) this.#encode()
    if (!this.#isScheduled) this.#schedule(setImmediate(this.#send))
  }

  /** Waits for the reader, for so long at the most. For the end of the process, when nothing can be written later. */
  flush(maxMs: number): void {
    const deadline = performance.now() + maxMs
    do {
      if (!this.#drain()) Atomics.wait(sleepCell, 0, 0, pauseMs)
    } while (!this.#isEmpty && performance.now() < deadline)
  }

  get #isEmpty(): boolean {
    return this.#start === this.#end && this.#text === ''
  }

  #hasRoomFor(line: string, level: number): boolean {
    const room = this.#options.maxWaiting + (level >= levels.error ? reserve : 0) - (this.#end - this.#start)
    if (maxBytesOfUnit * (this.#text.length + line.length) <= room) return true
    return Buffer.byteLength(this.#text) + Buffer.byteLength(line) <= room
  }

  #encode(): void {
    if (this.#text === '') return
    if (this.#end + Buffer.byteLength(this.#text) > this.#bytes.length) this.#moveToFront()
    this.#end += this.#bytes.write(this.#text, this.#end)
    this.#text = ''
  }

  #moveToFront(): void {
    this.#bytes.copyWithin(0, this.#start, this.#end)
    this.#end -= this.#start
    this.#start = 0
  }

  #schedule(timer: NodeJS.Immediate | NodeJS.Timeout): void {
    this.#isScheduled = true
    timer.unref()
  }

  readonly #send = (): void => {
    this.#isScheduled = false
    if (!this.#drain()) this.#schedule(setTimeout(this.#send, retryMs))
  }

  /** False when the reader takes no more for now. */
  #drain(): boolean {
    this.#encode()
    if (this.#start === this.#end) return true
    try {
      while (this.#start < this.#end) this.#start += this.#options.write(this.#nextLines())
      this.#start = this.#end = 0
      this.#resume()
    } catch (error) {
      if (errorCode(error) === 'EAGAIN') return false
      this.#dropAll()
    }
    return true
  }

  /** As many lines as are certain to be written whole, and at least one. */
  #nextLines(): Uint8Array {
    const waiting = this.#bytes.subarray(this.#start, this.#end)
    if (waiting.length <= atomicBytes) return waiting
    const last = waiting.lastIndexOf(newline, atomicBytes - 1)
    const end = last < 0 ? waiting.indexOf(newline) : last
    return end < 0 ? waiting : waiting.subarray(0, end + 1)
  }

  #dropAll(): void {
    for (const byte of this.#bytes.subarray(this.#start, this.#end)) if (byte === newline) this.#dropped++
    this.#start = this.#end = 0
  }

  #resume(): void {
    const dropped = this.#dropped
    this.#dropped = 0
    if (dropped > 0) this.#options.onResume(dropped)
  }
}

const sleepCell = new Int32Array(new SharedArrayBuffer(4))
