import type { Snippet } from './snippet.js'

/**
 * One state of a snippet. In most storages the id and the version identify it. Without a data directory,
 * memory storage assigns the same ids again after a restart, so a revision also has `created_at`.
 */
export type Revision = Pick<Snippet, 'created_at' | 'version'>

/** The revisions that a conditional write may replace. */
export type Expectation =
  | Readonly<{ _tag: 'AnyRevision' }>
  | Readonly<{ _tag: 'OneOf'; revisions: readonly [Revision, ...Revision[]] }>
  | Readonly<{ _tag: 'NoneOf'; revisions: readonly [Revision, ...Revision[]] }>
  | Readonly<{ _tag: 'NoRevision' }>

export const anyRevision: Expectation = { _tag: 'AnyRevision' }

/** An expectation that no snippet meets. */
export const noRevision: Expectation = { _tag: 'NoRevision' }

export const expectOneOf = ([first, ...others]: readonly Revision[]): Expectation =>
  first === undefined ? noRevision : { _tag: 'OneOf', revisions: [first, ...others] }

/** Narrows an expectation: these revisions no longer meet it. */
export const exclude = (expectation: Expectation, [first, ...others]: readonly Revision[]): Expectation => {
  if (first === undefined) return expectation
  const excluded = [first, ...others] as const
  switch (expectation._tag) {
    case 'AnyRevision':
      return { _tag: 'NoneOf', revisions: excluded }
    case 'OneOf':
      return expectOneOf(expectation.revisions.filter(revision => !isAmong(excluded, revision)))
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
