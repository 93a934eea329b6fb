/** A write to a process that sleeps has to wake it, which can cost the server more than all else that it does. Returns how to stop. */
export const stayAwake = (): (() => void) => {
  let isAwake = true
  const turn = (): void => {
    if (isAwake) setImmediate(turn)
  }
  turn()
  return () => {
    isAwake = false
  }
}
