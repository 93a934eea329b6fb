import { setTimeout as pause } from 'node:timers/promises'

/** Closes one thing, within this many milliseconds. */
export type Close = (graceMs: number) => Promise<void>

type State = 'starting' | 'serving' | 'stopping'

export type Lifetime = Readonly<{
  state: () => State
  /** Registers what `stop` has to close. */
  closeOnStop: (close: Close) => void
  /** `onStop` is called as soon as the service is told to stop. */
  startServing: (onStop: () => void) => void
  /** Closes everything, the newest first. Later calls wait for the first one. */
  stop: () => Promise<void>
}>

type Times = Readonly<{
  /** How long to go on serving after readiness has said no, so that load balancers can see it. */
  drainDelayMs: number
  /** Shared by everything that is closed. */
  graceMs: number
}>

/** Keeps the state of a service and what it has to close. */
export const createLifetime = ({ drainDelayMs, graceMs }: Times): Lifetime => {
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
