import type { CreateError, CreateOnceError } from '@snippets/domain/errors.js'
import type { Created, RetryKey } from '@snippets/domain/retry-key.js'
import type { Draft, Snippet } from '@snippets/domain/snippet.js'
import type * as E from 'fp-ts/lib/Either.js'
import type { Attempt } from '../connection/attempt.js'

/** A snippet to be created, with others in one batch. */
export type Creation = Readonly<{
  draft: Draft
  attempt: Attempt
  answer: (answer: E.Either<CreateError, Snippet>) => void
  /** Where it has a key: that, and what is called instead of `answer` when an earlier creation had the same. */
  retry?: RetryKey & Readonly<{ answer: (answer: E.Either<CreateOnceError, Created>) => void }>
}>
