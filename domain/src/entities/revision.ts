import type { Snippet } from './snippet.js'

/**
 * One state of a snippet. Memory storage without a data directory assigns the same ids again after a restart.
 * `created_at` tells such snippets apart.
 */
export type Revision = Pick<Snippet, 'created_at' | 'version'>

/** The revisions that a conditional write may replace: one of these, or all but these. */
export type Expectation = Readonly<{ _tag: 'OneOf' | 'NoneOf'; revisions: readonly Revision[] }>

export const oneOfRevisions = (revisions: readonly Revision[]): Expectation => ({ _tag: 'OneOf', revisions })

export const anyRevision: Expectation = { _tag: 'NoneOf', revisions: [] }

/** An expectation that no snippet meets. */
export const noRevision: Expectation = oneOfRevisions([])

/** Narrows an expectation: these revisions no longer meet it. */
export const exclude = ({ _tag, revisions }: Expectation, excluded: readonly Revision[]): Expectation => ({
  _tag,
  revisions:
    _tag === 'OneOf' ? revisions.filter(revision => !isAmong(excluded, revision)) : [...revisions, ...excluded],
})

const isAmong = (revisions: readonly Revision[], { created_at, version }: Revision): boolean =>
  revisions.some(revision => revision.version === version && revision.created_at === created_at)

export const isExpected = ({ _tag, revisions }: Expectation, revision: Revision): boolean =>
  isAmong(revisions, revision) === (_tag === 'OneOf')
