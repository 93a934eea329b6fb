import type { Worker } from 'node:cluster'
import * as E from 'fp-ts/lib/Either.js'
import { isFromWorker } from './messages.js'

/** Longer than a storage takes to say that it does not answer. */
const timeoutMs = 2500

let questions = 0

/** Ready as soon as one worker is ready. */
export const askWorkers = async (workers: Iterable<Worker>): Promise<E.Either<string, void>> => {
  const answers = [...workers].map(askWorker)
  try {
    await Promise.any(answers)
    return E.right(undefined)
  } catch (error) {
    const [first] = error instanceof AggregateError ? error.errors : []
    return E.left(first instanceof Error ? first.message : 'No worker is running.')
  }
}

/** Rejects with the sentence that says why it is not ready. */
const askWorker = (worker: Worker): Promise<void> =>
  new Promise((resolve, reject) => {
    const question = questions++
    const settle = (fault: string | undefined): void => {
      clearTimeout(timeout)
      worker.off('message', listener).off('exit', ended)
      if (fault === undefined) resolve()
      else reject(new Error(fault))
    }
    const listener = (message: unknown): void => {
      if (isFromWorker(message) && message.about === 'readiness' && message.question === question) settle(message.fault)
    }
    const ended = (): void => settle('A worker has ended.')
    const timeout = setTimeout(settle, timeoutMs, 'A worker does not answer.')
    worker.on('message', listener).on('exit', ended)
    worker.send({ about: 'readiness', question })
  })
