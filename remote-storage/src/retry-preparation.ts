import { runAfter } from './run-after.js'

/** The default pause: short, so that the preparation follows soon after an outage. */
export const retryPauseMs = 500

/**
 * Retries the preparation of a database until it succeeds, and reports each failure. Stays pending if the signal is
 * aborted first. An attempt has no deadline, because building an index may take hours: each step MUST fail if its
 * connection is lost.
 */
export const retryPreparation = (
  signal: AbortSignal,
  onFailure: (cause: unknown) => void,
  work: () => Promise<void>,
  pauseAfter: (error: unknown) => number = () => retryPauseMs,
): Promise<void> =>
  new Promise(resolve => {
    let cancel = (): void => {}
    signal.addEventListener('abort', () => cancel())
    const tryOnce = (): void =>
      void work().then(
        () => signal.aborted || resolve(),
        error => {
          if (signal.aborted) return
          onFailure(error)
          cancel = runAfter(pauseAfter(error), tryOnce)
        },
      )
    tryOnce()
  })
