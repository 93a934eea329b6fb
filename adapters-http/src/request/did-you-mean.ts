import { distance } from 'fastest-levenshtein'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'

const maxLength = 40

export const truncate = (name: string): string =>
  (name.length > maxLength ? `${name.slice(0, maxLength)}…` : name).toWellFormed()

/** Finds the nearest candidate with few edits or the same beginning. */
export const nearestTo = (name: string, candidates: readonly string[]): O.Option<string> => {
  if (name.length > maxLength) return O.none
  const written = name.toLowerCase()
  const [best] = candidates
    .map(candidate => ({ candidate, edits: distance(written, candidate) }))
    .filter(
      ({ candidate, edits }) =>
        edits <= 1 || (edits === 2 && sharePrefix(written, candidate, 1)) || sharePrefix(written, candidate, 3),
    )
    .sort((a, b) => a.edits - b.edits)
  return O.fromNullable(best?.candidate)
}

/** Returns the suggestion at the end of a message about an unknown name. */
export const didYouMean = (name: string, candidates: readonly string[]): string =>
  pipe(
    nearestTo(name, candidates),
    O.match(
      () => '',
      nearest => `; did you mean ${nearest}?`,
    ),
  )

const sharePrefix = (name: string, candidate: string, letters: number): boolean =>
  name.length >= letters && candidate.startsWith(name.slice(0, letters))
