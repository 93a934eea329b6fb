import { decodeRaw } from '@snippets/adapters-mongo/collections/raw-rows.js'
import { storedValue } from '@snippets/adapters-mongo/collections/stored-values.js'
import { instantField, revisionFields } from '@snippets/domain/entities/revision.js'
import { idCodec, idString } from '@snippets/domain/values/id.js'
import { expect } from 'chai'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { BSON, Long } from 'mongodb'

describe('The fields of a document in MongoDB', () => {
  const updated_at = instantField('updated_at')
  const decode = decodeRaw(t.strict({ ...revisionFields, updated_at, size: idCodec, parent: idString }, 'thing'))
  const large = 2n ** 63n - 1n
  const stored = {
    _id: 1n,
    created_at: new Date(5),
    updated_at: new Date(6),
    version: Long.fromNumber(7),
    size: Long.fromBigInt(large),
    parent: Long.fromBigInt(large),
    of_another_program: Long.fromBigInt(large),
  }

  it('are dates if their codec is one of times, and no others', () => {
    for (const codec of [revisionFields.created_at, updated_at])
      expect(storedValue(codec, 5)).to.deep.equal(new Date(5))
    for (const codec of [revisionFields.version, undefined]) expect(storedValue(codec, 5)).to.equal(5)
  })

  it('are read as their codecs decode them', () => {
    const entity = { id: 1n, created_at: 5, updated_at: 6, version: 7, size: large, parent: large }
    expect(decode(BSON.serialize(stored))).to.deep.equal(right(entity))
  })

  it('are malformed if a time is a number', () => {
    expect(decode(BSON.serialize({ ...stored, updated_at: 6 }))).to.satisfy(isLeft)
  })
})
