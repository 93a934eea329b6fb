/** The name that was probably meant: one with a typo or two, or with the same beginning. */
export const nearestTo = (name: string, candidates: readonly string[]): string | undefined => {
  const written = name.toLowerCase()
  const [best] = candidates
    .map(candidate => ({ candidate, distance: editDistance(written, candidate) }))
    .filter(
      ({ candidate, distance }) =>
        distance <= 1 || (distance === 2 && startAlike(written, candidate, 1)) || startAlike(written, candidate, 3),
    )
    .sort((a, b) => a.distance - b.distance)
  return best?.candidate
}

const startAlike = (name: string, candidate: string, letters: number): boolean =>
  name.length >= letters && candidate.startsWith(name.slice(0, letters))

/** The Levenshtein distance: how many characters to insert, delete or replace. */
export const editDistance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...to].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
