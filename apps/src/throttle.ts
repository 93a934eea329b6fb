/** Returns a function that calls `show` at most once a second, and not in the first second. */
export const throttle = <A extends readonly unknown[]>(show: (...args: A) => void): ((...args: A) => void) => {
  let shownAt = performance.now()
  return (...args) => {
    if (performance.now() - shownAt < 1000) return
    shownAt = performance.now()
    show(...args)
  }
}
