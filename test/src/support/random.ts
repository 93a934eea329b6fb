export type Random = ReturnType<typeof randomFrom>

/** Creates a repeatable source of random choices. Mulberry32: neighbouring seeds give unrelated sequences. */
export const randomFrom = (seed: number) => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  /** Returns a whole number from `min` to `max`, both included. */
  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1))
  const pick = <A>(items: readonly A[]): A => items[between(0, items.length - 1)] as A
  return { between, pick, chance: (probability: number): boolean => next() < probability }
}
