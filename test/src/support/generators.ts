import { type ContentField, textFields } from '@snippets/domain/entities/snippet.js'
import { namesOf, recordOf } from '@snippets/domain/values/record.js'
import * as fc from 'fast-check'

const texts = recordOf(namesOf(textFields), field => {
  const { min, max } = textFields[field].limits
  return fc.oneof(
    fc.string({ unit: 'binary', minLength: min, maxLength: max }),
    fc.constantFrom('x'.repeat(max), '😀'.repeat(max)),
  )
})

/** The valid values of each field that an author writes. A new field does not compile without one. */
export const fieldValues: { readonly [F in ContentField]: fc.Arbitrary<unknown> } = { ...texts }

/** The JSON of valid content. */
export const contents = fc.record({ ...fieldValues })

export const changesOf = fc.record({ ...fieldValues }, { requiredKeys: [] })

export const times = fc.integer({ min: -8.64e15, max: 8.64e15 })
export const versions = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
export const ids = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n })

export const storedSnippets = fc.record({ ...fieldValues, created_at: times, version: versions })
