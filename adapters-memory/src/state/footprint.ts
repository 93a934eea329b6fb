import { contentFieldNames, type Snippet } from '@snippets/domain/entities/snippet.js'
import { indexedPlans } from '@snippets/domain/queries/plan.js'

// These sizes are measured. test/src/memory/ceiling.test.ts checks that the counted bytes are an upper bound.

/** The bytes of a snippet without its content: its object, its fields, and its items in the list of each plan. */
const snippetBytes = 560 + 16 * indexedPlans.length

/** The bytes of an idempotency key with its fingerprint, its id and its entry in the map. */
export const idempotencyKeyBytes = 1024

/** V8 stores a text in one byte per character if all characters are in Latin-1, otherwise in two. */
const bytesOf = (text: string): number => text.length * (/[^\0-\xff]/.test(text) ? 2 : 1)

/**
 * Returns an upper bound of the bytes of a snippet. It depends only on the snippet, so that a removal subtracts the
 * number that the insertion added.
 */
export const footprintOf = (snippet: Snippet): number =>
  contentFieldNames.reduce((bytes, field) => bytes + bytesOf(snippet[field]), snippetBytes)
