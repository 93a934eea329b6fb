import type { Snippet } from './snippet.js'

/**
 * Identifies one state of one snippet. The version alone would do within one storage; created_at also tells a snippet
 * from the one that had its id before a memory storage was restarted.
 */
export type Revision = Pick<Snippet, 'created_at' | 'version'>

/** The revisions that a conditional write may replace. */
export type Expectation =
  | Readonly<{ _tag: 'AnyRevision' }>
  | Readonly<{ _tag: 'OneOf'; revisions: readonly [Revision, ...Revision[]] }>
  | Readonly<{ _tag: 'NoneOf'; revisions: readonly [Revision, ...Revision[]] }>
  | Readonly<{ _tag: 'NoRevision' }>

export const anyRevision: Expectation = { _tag: 'AnyRevision' }

/** No existing snippet meets it. */
export const noRevision: Expectation = { _tag: 'NoRevision' }

export const oneOf = ([first, ...others]: readonly Revision[]): Expectation =>
  first === undefined ? noRevision : { _tag: 'OneOf', revisions: [first, ...others] }

/** An expectation without these revisions. */
export const except = (expectation: Expectation, [first, ...others]: readonly Revision[]): Expectation => {
  if (first === undefined) return expectation
  const excluded = [first, ...others] as const
  switch (expectation._tag) {
    case 'AnyRevision':
      return { _tag: 'NoneOf', revisions: excluded }
    case 'OneOf':
      return oneOf(expectation.revisions.filter(revision => !isAmong(excluded, revision)))
    case 'NoneOf':
      return { _tag: 'NoneOf', revisions: [...excluded, ...expectation.revisions] }
    case 'NoRevision':
      return noRevision
  }
}

const isAmong = (revisions: readonly Revision[], { created_at, version }: Revision): boolean =>
  revisions.some(revision => revision.version === version && revision.created_at === created_at)

export const isExpected = (expectation: Expectation, revision: Revision): boolean => {
  switch (expectation._tag) {
    case 'AnyRevision':
      return true
    case 'OneOf':
      return isAmong(expectation.revisions, revision)
    case 'NoneOf':
      return !isAmong(expectation.revisions, revision)
    case 'NoRevision':
      return false
  }
}
