import type * as t from 'io-ts'
import { codec } from '../values/codec.js'

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number

const boundedInteger = (name: string, min: number, max: number) =>
  codec<number>(name, value =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? undefined
      : { code: 'type', message: `${name} must be a whole number from ${min} to ${max}` },
  )

/** RFC 3339 writes a year in four digits. */
const minInstant: Instant = Date.parse('0000-01-01T00:00:00.000Z')
const maxInstant: Instant = Date.parse('9999-12-31T23:59:59.999Z')

/** The codec of a time. By `isInstant`, storages convert its values to dates of their own. */
export const instantField = (name: string) =>
  Object.assign(boundedInteger(name, minInstant, maxInstant), { isInstant: true as const })

/** The fields that the service adds to each row which clients create. */
export const revisionFields = {
  created_at: instantField('created_at'),
  version: boundedInteger('version', 1, Number.MAX_SAFE_INTEGER),
} as const

/**
 * One state of a snippet. Memory storage without a data directory assigns the same ids again after a restart.
 * `created_at` tells such snippets apart.
 */
export type Revision = Readonly<{ [F in keyof typeof revisionFields]: t.TypeOf<(typeof revisionFields)[F]> }>

/** The revisions that a conditional write may replace: one of `oneOf`, if present, and none of `noneOf`. */
export type Expectation = Readonly<{ oneOf?: readonly Revision[]; noneOf?: readonly Revision[] }>

const isAmong = (revisions: readonly Revision[], { created_at, version }: Revision): boolean =>
  revisions.some(revision => revision.version === version && revision.created_at === created_at)

export const isExpected = ({ oneOf, noneOf = [] }: Expectation, revision: Revision): boolean =>
  (oneOf === undefined || isAmong(oneOf, revision)) && !isAmong(noneOf, revision)
