import { type Content, contentFieldNames, contentFields } from '@snippets/domain/snippet.js'
import type { Document, Filter } from 'mongodb'
import type { SnippetDocument } from './snippet-document.js'

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

/** Matches documents that are valid in every field but those named, which are about to be overwritten. */
export const validBeside = (named: Partial<Content>): Filter<SnippetDocument> => {
  const kept = Object.entries(validFields).filter(([field]) => !(field in named))
  return { created_at, $jsonSchema: { required: kept.map(([field]) => field), properties: Object.fromEntries(kept) } }
}
