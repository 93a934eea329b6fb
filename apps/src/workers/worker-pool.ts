import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Log } from '../log.js'
import { isFromWorker } from './messages.js'
import { WorkerFailed } from './worker-failed.js'

const minPauseMs = 100
const maxPauseMs = 10_000

/** A worker that lived this long did not fail at startup, so its replacement need not wait. */
const healthyMs = 10_000

/** Keeps a number of workers alive. */
export class WorkerPool {
  readonly #log: Log
  readonly #alive = new Set<Worker>()
  readonly #replacements = new Set<NodeJS.Timeout>()
  #deathsInARow = 0
  #isStopping = false

  constructor(log: Log) {
    this.#log = log
  }

  /** Starts one worker first, so that an error at startup is reported once. Resolves with the URL that all share. */
  async start(count: number): Promise<string> {
    const url = await this.#first()
    for (let i = 1; i < count; i++) this.#fork()
    return url
  }

  get workers(): Iterable<Worker> {
    return this.#alive
  }

  /** Resolves when all have ended: those that take longer than their grace are killed. */
  async stop(maxMs: number): Promise<void> {
    this.#isStopping = true
    for (const replacement of this.#replacements) clearTimeout(replacement)
    const killing = setTimeout(() => this.#signal('SIGKILL'), maxMs)
    this.#signal('SIGTERM')
    await Promise.all([...this.#alive].map(worker => once(worker, 'exit')))
    clearTimeout(killing)
  }

  #signal(signal: NodeJS.Signals): void {
    for (const worker of this.#alive) worker.process.kill(signal)
  }

  #first(): Promise<string> {
    const worker = this.#spawn()
    return new Promise((resolve, reject) => {
      const failed = (code: number | null): void => reject(new WorkerFailed(code ?? 1))
      worker.once('exit', failed)
      worker.on('message', message => {
        if (!isFromWorker(message) || message.about !== 'serving') return
        worker.off('exit', failed)
        this.#replaceAtExit(worker)
        resolve(message.url)
      })
    })
  }

  #fork(): void {
    this.#replaceAtExit(this.#spawn())
  }

  #spawn(): Worker {
    const worker = cluster.fork()
    this.#alive.add(worker)
    worker.once('exit', () => this.#alive.delete(worker))
    // a message to a worker that has just ended
    worker.on('error', () => {})
    return worker
  }

  #replaceAtExit(worker: Worker): void {
    const begun = performance.now()
    worker.once('exit', (code: number | null, signal: string | null) => {
      if (this.#isStopping) return
      this.#deathsInARow = performance.now() - begun < healthyMs ? this.#deathsInARow + 1 : 0
      const pauseMs = Math.min(minPauseMs * 2 ** this.#deathsInARow, maxPauseMs)
      this.#log.warn({ workerPid: worker.process.pid, code, signal, pauseMs }, 'a worker died and will be replaced')
      const replacement = setTimeout(() => {
        this.#replacements.delete(replacement)
        this.#fork()
      }, pauseMs)
      this.#replacements.add(replacement)
    })
  }
}
