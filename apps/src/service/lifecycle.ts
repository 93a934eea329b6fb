import { setTimeout as pause } from 'node:timers/promises'

/** A function that closes a resource within the given time. */
type Close = (graceMs: number) => Promise<void>

type State = 'starting' | 'serving' | 'stopping'

export type Lifecycle = Readonly<{
  state: () => State
  /** Registers a resource that `stop` closes. */
  closeOnStop: (close: Close) => void
  /** Enters the state `serving`. A later `stop` calls `onStop` before the drain delay. */
  startServing: (onStop: () => void) => void
  /** Closes all resources, the newest first. Later calls wait for the first one. */
  stop: () => Promise<void>
}>

type Times = Readonly<{
  /** The time between `/readyz` turning to 503 and the stop, in which load balancers stop sending requests. */
  drainDelayMs: number
  /** The time for all resources together to close. */
  graceMs: number
}>

/** Tracks the state of a service and its open resources. */
export const createLifecycle = ({ drainDelayMs, graceMs }: Times): Lifecycle => {
  const open: Close[] = []
  let state: State = 'starting'
  let announceStop = (): void => {}
  let stopped: Promise<void> | undefined
  const closeAll = async (): Promise<void> => {
    const deadline = performance.now() + graceMs
    for (const close of open.toReversed()) await close(Math.max(0, deadline - performance.now()))
  }
  return {
    state: () => state,
    closeOnStop: close => void open.push(close),
    startServing: onStop => {
      state = 'serving'
      announceStop = onStop
    },
    stop: () => {
      const wasServing = state === 'serving'
      state = 'stopping'
      announceStop()
      stopped ??= wasServing ? pause(drainDelayMs).then(closeAll) : closeAll()
      return stopped
    },
  }
}
