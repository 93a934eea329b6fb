import { readFields, storedValue } from '@snippets/adapters-mongo/snippets/snippet-document.js'
import { instantField } from '@snippets/domain/entities/revision.js'
import { snippetFields } from '@snippets/domain/entities/snippet.js'
import { idCodec, idString } from '@snippets/domain/values/id.js'
import { expect } from 'chai'
import { Long } from 'mongodb'

describe('The fields of a document in MongoDB', () => {
  const codecs = { ...snippetFields, updated_at: instantField('updated_at'), size: idCodec, parent: idString }
  const large = 2n ** 63n - 1n

  it('are dates if their codec is one of times, and no others', () => {
    for (const field of ['created_at', 'updated_at']) expect(storedValue(field, 5, codecs)).to.deep.equal(new Date(5))
    for (const field of ['version', '_id']) expect(storedValue(field, 5, codecs)).to.equal(5)
  })

  it('are read as their codecs decode them', () => {
    const stored = {
      created_at: new Date(5),
      updated_at: new Date(6),
      version: Long.fromNumber(7),
      size: Long.fromBigInt(large),
      parent: Long.fromBigInt(large),
      of_another_program: Long.fromBigInt(large),
    }
    const fields = readFields(stored, codecs)
    expect(fields).to.deep.include({ created_at: 5, updated_at: 6, version: 7, size: large, parent: String(large) })
    expect(fields).to.have.all.keys(Object.keys(codecs))
    expect(readFields({ updated_at: 6 }, codecs).updated_at).to.deep.equal(Number.NaN)
  })
})
