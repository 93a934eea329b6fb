import type { Id } from './id.js'
import type { Text } from './text.js'

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number

/** What its author writes. */
export type Content = Readonly<{ title: Text<'title'>; code: Text<'code'>; language: Text<'language'> }>

export type Changes = Partial<Content>

/** What the service adds when it creates one. */
export type Draft = Content & Readonly<{ created_at: Instant }>

/** `version` starts at 1 and grows with each write. A value is never changed; a write makes a new one. */
export type Snippet = Draft & Readonly<{ id: Id; version: number }>

/**
 * Names one state of one snippet. The version alone would do within one storage; the moment of creation also tells a
 * snippet from the one that had its id before a memory storage was started anew.
 */
export type Revision = Pick<Snippet, 'created_at' | 'version'>

export const isRevision =
  (snippet: Revision) =>
  (revision: Revision): boolean =>
    snippet.version === revision.version && snippet.created_at === revision.created_at
