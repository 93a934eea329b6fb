import { runAfter } from './run-after.js'

/** The default pause: short, so that the preparation follows soon after an outage. */
export const retryPauseMs = 500

/**
 * Retries the preparation of a database until it succeeds, and reports each failure. An attempt has no deadline,
 * because building an index may take hours: each step MUST fail if its connection is lost.
 */
export const retryPreparation = (
  onFailure: (cause: unknown) => void,
  work: () => Promise<void>,
  pauseAfter: (error: unknown) => number = () => retryPauseMs,
): Readonly<{ done: Promise<void>; stop: () => void }> => {
  let cancel = (): void => {}
  let isStopped = false
  const done = new Promise<void>(resolve => {
    const tryOnce = (): void =>
      void work().then(
        () => isStopped || resolve(),
        error => {
          if (isStopped) return
          onFailure(error)
          cancel = runAfter(pauseAfter(error), tryOnce)
        },
      )
    tryOnce()
  })
  const stop = (): void => {
    isStopped = true
    cancel()
  }
  return { done, stop }
}
