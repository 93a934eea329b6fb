import { anyRevision, type Expectation, noRevision, oneOf } from '@snippets/domain/revision.js'
import { right } from 'fp-ts/lib/Either.js'
import { revisionOf } from '../answer/entity-tag.js'
import type { Schema } from '../answer/json-schema.js'
import type { Reader } from './reader.js'

const tagsIn = (header: string): readonly string[] => header.match(/(?:W\/)?"[^"]*"/g) ?? []

const header = (name: string, description: string): Schema => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
  example: '"mb5pf4go-1"',
})

/** Whether the client already has the state with this tag. */
export type IsCached = (etag: string) => boolean

const notCached: IsCached = () => false

/** For representations without an entity tag. */
export const unconditional: Reader<IsCached> = { read: () => right(notCached) }

/** Compares weakly (RFC 9110, 13.1.2). */
export const ifNoneMatch: Reader<IsCached> = {
  read: ({ req }) => {
    const tags = req.headers['if-none-match']
    if (tags === undefined) return right(notCached)
    if (tags.trim() === '*') return right(() => true)
    return right(etag => tagsIn(tags).some(tag => tag.replace(/^W\//, '') === etag))
  },
  parameters: [header('If-None-Match', 'ETags; the answer is 304 while one of them is current.')],
}

/**
 * The revisions that a write may replace. The storage compares them in the write itself. `If-None-Match: *` allows none
 * (RFC 9110, 13.1.2).
 */
export const expectation: Reader<Expectation> = {
  read: ({ req }) => {
    if (req.headers['if-none-match']?.trim() === '*') return right(noRevision)
    const tags = req.headers['if-match']
    if (tags === undefined || tags.trim() === '*') return right(anyRevision)
    return right(oneOf(tagsIn(tags).flatMap(revisionOf)))
  },
  parameters: [header('If-Match', 'ETags; the write is refused with 412 unless one of them is current.')],
  problems: ['precondition-failed'],
}
