import type { ListError } from '@snippets/domain/errors.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import { type Either, right } from 'fp-ts/lib/Either.js'
import { anId, draft } from './snippets.js'

const megabyte: readonly Snippet[] = Array.from({ length: 100 }, (_, i) => ({
  ...draft({ code: 'x'.repeat(10_000) }),
  id: anId(BigInt(i + 1)),
  version: 1,
}))

/** A list that does not fit into the buffers between the two ends. */
export async function* twentyMegabytes(): AsyncGenerator<Either<ListError, readonly Snippet[]>> {
  for (let i = 0; i < 20; i++) yield right(megabyte)
}
