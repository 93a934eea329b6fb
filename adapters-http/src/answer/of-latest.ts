/** Remembers the latest result for an instant, as many snippets are created within one millisecond. */
export const ofLatest = (make: (instant: number) => string): ((instant: number) => string) => {
  let latest = Number.NaN
  let made = ''
  return instant => {
    if (instant !== latest) {
      latest = instant
      made = make(instant)
    }
    return made
  }
}
