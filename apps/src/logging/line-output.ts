import { errorCode } from '../error-code.js'

type Options = Readonly<{
  /** Takes bytes and returns how many. Throws EAGAIN when it can take none now. */
  write: (bytes: Uint8Array) => number
  /** How many characters may wait to be written. */
  maxWaiting: number
  /** Called when lines get out again, with the number of those that were dropped. */
  onResume: (dropped: number) => void
}>

/** Up to so many bytes enter a pipe whole or not at all, so that the lines of several processes do not mix (pipe(7)). */
const atomicBytes = 4096

/** For each UTF-16 unit of a string. */
const maxUtf8Bytes = 3

const retryMs = 50
const pauseMs = 5
const newline = 10

/** Extra room for error lines once the queue is full. */
const reserve = 64 * 1024
const errorLevel = 50

/**
 * Writes lines without ever waiting for the reader: one write for all lines of a turn of the event loop. What the reader
 * does not take waits, up to a bound, and then is dropped and counted. A broken pipe drops as well, and is tried again by
 * the next line, as a named pipe may get another reader.
 */
export class LineOutput {
  /** The level of the line that is written next. */
  lastLevel = 0

  readonly #options: Options
  readonly #lines: string[] = []
  readonly #block = Buffer.allocUnsafe(atomicBytes)
  #waiting = 0
  #dropped = 0
  /** What is left of a long line whose beginning is out. */
  #rest: Uint8Array = nothing
  #isScheduled = false

  constructor(options: Options) {
    this.#options = options
  }

  write(line: string): void {
    const { maxWaiting } = this.#options
    if (this.#waiting + line.length > maxWaiting + (this.lastLevel >= errorLevel ? reserve : 0)) {
      this.#dropped++
      return
    }
    this.#lines.push(line)
    this.#waiting += line.length
    if (!this.#isScheduled) this.#schedule(setImmediate(this.#send))
  }

  /** Waits for the reader, for so long at the most. For the end of the process, when nothing can be written later. */
  flush(maxMs: number): void {
    const deadline = performance.now() + maxMs
    do {
      if (!this.#drain()) Atomics.wait(sleepCell, 0, 0, pauseMs)
    } while (this.#hasMore() && performance.now() < deadline)
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
    if (!this.#hasMore()) return true
    try {
      while (this.#hasMore()) this.#rest = this.#rest.subarray(this.#options.write(this.#rest))
      this.#resume()
    } catch (error) {
      if (errorCode(error) === 'EAGAIN') return false
      this.#dropAll()
    }
    return true
  }

  #hasMore(): boolean {
    if (this.#rest.length === 0 && this.#lines.length > 0) this.#rest = this.#take()
    return this.#rest.length > 0
  }

  /** As many lines as are certain to be written whole, and at least one. They are encoded once, without being joined before. */
  #take(): Uint8Array {
    let bytes = 0
    let count = 0
    for (const line of this.#lines) {
      if (bytes + line.length * maxUtf8Bytes > atomicBytes) break
      bytes += this.#block.write(line, bytes)
      count++
    }
    const taken = this.#lines.splice(0, Math.max(1, count))
    for (const { length } of taken) this.#waiting -= length
    return count > 0 ? this.#block.subarray(0, bytes) : Buffer.from(taken[0] ?? '')
  }

  #dropAll(): void {
    this.#dropped += this.#lines.length + this.#rest.filter(byte => byte === newline).length
    this.#lines.length = 0
    this.#waiting = 0
    this.#rest = nothing
  }

  #resume(): void {
    const dropped = this.#dropped
    this.#dropped = 0
    if (dropped > 0) this.#options.onResume(dropped)
  }
}

const nothing = new Uint8Array()
const sleepCell = new Int32Array(new SharedArrayBuffer(4))
