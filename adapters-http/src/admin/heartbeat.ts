const beatMs = 500
const nanosecondsPerMs = 1_000_000n

/** Memory that threads share. It holds the time of the last beat by the monotonic clock, which is the same in all threads. */
export const newHeartbeat = (): BigInt64Array =>
  new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT))

/** Beats as long as the event loop of this thread turns. Returns how to stop it. */
export const startBeating = (heartbeat: BigInt64Array): (() => void) => {
  const beat = (): void => void Atomics.store(heartbeat, 0, process.hrtime.bigint())
  beat()
  const timer = setInterval(beat, beatMs).unref()
  return () => clearInterval(timer)
}

export const millisecondsSilent = (heartbeat: BigInt64Array): number =>
  Number((process.hrtime.bigint() - Atomics.load(heartbeat, 0)) / nanosecondsPerMs)
