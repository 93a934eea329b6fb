import { distance } from 'fastest-levenshtein'
import * as O from 'fp-ts/lib/Option.js'

/** The name that was probably meant: one with a typo or two, or with the same beginning. */
export const nearestTo = (name: string, candidates: readonly string[]): O.Option<string> => {
  const written = name.toLowerCase()
  const [best] = candidates
    .map(candidate => ({ candidate, edits: distance(written, candidate) }))
    .filter(
      ({ candidate, edits }) =>
        edits <= 1 || (edits === 2 && startAlike(written, candidate, 1)) || startAlike(written, candidate, 3),
    )
    .sort((a, b) => a.edits - b.edits)
  return O.fromNullable(best?.candidate)
}

const startAlike = (name: string, candidate: string, letters: number): boolean =>
  name.length >= letters && candidate.startsWith(name.slice(0, letters))
