import { distance } from 'fastest-levenshtein'

const maxLength = 40

export const truncate = (name: string): string =>
  (name.length > maxLength ? `${name.slice(0, maxLength)}…` : name).toWellFormed()

/** Finds the nearest candidate with at most two edits or the same beginning. */
export const nearestTo = (name: string, candidates: readonly string[]): string | undefined => {
  if (name.length > maxLength) return undefined
  const written = name.toLowerCase()
  const [best] = candidates
    .map(candidate => ({ candidate, edits: distance(written, candidate) }))
    .filter(({ candidate, edits }) => edits <= 2 || (written.length >= 3 && candidate.startsWith(written.slice(0, 3))))
    .sort((a, b) => a.edits - b.edits)
  return best?.candidate
}

/** Returns the suggestion at the end of a message about an unknown name. */
export const didYouMean = (name: string, candidates: readonly string[]): string => {
  const nearest = nearestTo(name, candidates)
  return nearest === undefined ? '' : `; did you mean ${nearest}?`
}
