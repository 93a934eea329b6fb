import { type Revision, revisionFields } from '@snippets/domain/entities/revision.js'

/** Returns a strong tag that contains the revision, so that a conditional write needs no read. */
export const entityTagOf = ({ created_at, version }: Revision): string => `"${created_at}-${version}"`

/** Returns the revision in a tag of this service, or an empty list for any other tag. */
export const revisionsIn = (tag: string): readonly Revision[] => {
  const [, created_at, version] = /^"(-?[0-9]+)-([1-9][0-9]*)"$/.exec(tag) ?? []
  if (created_at === undefined || version === undefined) return []
  const revision = { created_at: Number(created_at), version: Number(version) }
  const isRevision = revisionFields.created_at.is(revision.created_at) && revisionFields.version.is(revision.version)
  // rejects other spellings, such as -0
  return isRevision && entityTagOf(revision) === tag ? [revision] : []
}
