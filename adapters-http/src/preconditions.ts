import type { RouterContext } from '@koa/router'
import type { Expected } from '@snippets/domain/ports.js'
import type { Revision } from '@snippets/domain/snippet.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { entityTag } from './snippet-json.js'

const tags = (header: string): readonly string[] => header.match(/(?:W\/)?"[^"]*"/g) ?? []

/** Whether the client already has what would be sent. Weak comparison, as for every read. */
export const isUnchanged = (ctx: RouterContext, etag: string): boolean => {
  const header = ctx.req.headers['if-none-match']
  if (header === undefined) return false
  return header.trim() === '*' || tags(header).some(tag => tag.replace(/^W\//, '') === etag)
}

/**
 * The revisions that a write may replace, for the storage to compare in the write itself. A tag that was never ours, or a weak one,
 * names none of them. `If-None-Match: *` forbids every revision.
 */
export const expectedRevisions = (ctx: RouterContext): Expected => {
  if (ctx.req.headers['if-none-match']?.trim() === '*') return some([])
  const header = ctx.req.headers['if-match']
  if (header === undefined || header.trim() === '*') return none
  return some(tags(header).flatMap(revisionOf))
}

const revisionOf = (tag: string): readonly Revision[] => {
  const [, created, version] = /^"(-?[0-9a-z]+)-([1-9][0-9]*)"$/.exec(tag) ?? []
  if (created === undefined || version === undefined) return []
  const revision = { created_at: Number.parseInt(created, 36), version: Number(version) }
  return entityTag(revision) === tag ? [revision] : []
}
