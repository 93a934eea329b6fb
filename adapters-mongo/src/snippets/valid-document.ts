import { type Content, contentFieldNames, contentFields } from '@snippets/domain/snippet.js'
import type { Document, Filter } from 'mongodb'

/** What `snippetDocument` decodes, in MongoDB's words. Its `maxLength` counts code points too. */
const validFields: Readonly<Record<string, Document>> = {
  _id: { bsonType: 'long' },
  ...Object.fromEntries(
    contentFieldNames.map(field => {
      const { min, max } = contentFields[field].limits
      return [field, { bsonType: 'string', minLength: min, maxLength: max }]
    }),
  ),
  created_at: { bsonType: 'date' },
  version: { bsonType: ['int', 'long', 'double'], minimum: 1, maximum: Number.MAX_SAFE_INTEGER, multipleOf: 1 },
}

const farthestDate = 8.64e15

/** Of the dates that BSON holds, those that JavaScript has. */
const created_at = { $gte: new Date(-farthestDate), $lte: new Date(farthestDate) }

type Valid = Readonly<{ created_at: Filter<Date>; $jsonSchema: Document }>

/** Made once for each set of fields. */
const made = new Map<string, Valid>()

/** Matches documents that are valid in every field but those named, which are about to be overwritten. */
export const validBeside = (named: Partial<Content>): Valid => {
  const fields = Object.keys(named)
  const key = fields.join()
  const valid = made.get(key) ?? besides(fields)
  made.set(key, valid)
  return valid
}

const besides = (fields: readonly string[]): Valid => {
  const kept = Object.entries(validFields).filter(([field]) => !fields.includes(field))
  return { created_at, $jsonSchema: { required: kept.map(([field]) => field), properties: Object.fromEntries(kept) } }
}
