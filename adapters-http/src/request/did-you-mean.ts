import { distance } from 'fastest-levenshtein'

const maxLength = 40

export const truncate = (name: string): string =>
  (name.length > maxLength ? `${name.slice(0, maxLength)}…` : name).toWellFormed()

/** Returns the end of a message about an unknown name: the nearest name with at most two edits or the same beginning. */
export const didYouMean = (unknown: string, names: readonly string[]): string => {
  const written = unknown.slice(0, maxLength).toLowerCase()
  const [nearest] = names
    .map(name => ({ name, edits: distance(written, name) }))
    .filter(({ name, edits }) => edits <= 2 || (written.length >= 3 && name.startsWith(written.slice(0, 3))))
    .sort((a, b) => a.edits - b.edits)
  return nearest === undefined ? '' : `; did you mean ${nearest.name}?`
}
