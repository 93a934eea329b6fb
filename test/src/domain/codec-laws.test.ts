import {
  changesCodec,
  contentCodec,
  contentFieldNames,
  contentFields,
  snippetCodec,
  snippetFields,
} from '@snippets/domain/entities/snippet.js'
import { userCodec } from '@snippets/domain/entities/user.js'
import { idCodec, idString } from '@snippets/domain/values/id.js'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { isRight, right } from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { bodies, character, fieldValues, ids, partialBodies, times, versions } from '../support/samples.js'

const codecs: Readonly<Record<string, readonly [t.Mixed, fc.Arbitrary<unknown>]>> = {
  ...Object.fromEntries(contentFieldNames.map(field => [field, [contentFields[field], fieldValues[field]] as const])),
  created_at: [snippetFields.created_at, times],
  version: [snippetFields.version, versions],
  contentCodec: [contentCodec, bodies],
  changesCodec: [changesCodec, partialBodies],
  snippetCodec: [snippetCodec, fc.record({ ...fieldValues, created_at: times, version: versions })],
  userCodec: [userCodec, fc.record({ username: fc.string({ unit: character, minLength: 1, maxLength: 150 }) })],
  idCodec: [idCodec, ids],
  idString: [idString, ids],
}

// values that are nearly right, and anything else
const inputs = fc.oneof(
  ...Object.values(codecs).map(([, values]) => values),
  ids.map(String),
  fc.constantFrom('', '0', '01', 0, 0n, -1, 1.5, 2n ** 63n, '\ud800', 'x'.repeat(20_000)),
  fc.anything({ withBigInt: true, withDate: true }),
)

describe('The codecs of the domain', () => {
  for (const [name, [codec, values]] of Object.entries(codecs))
    describe(name, () => {
      it('recognises its values, and decodes its own encoding', () => {
        fc.assert(
          fc.property(values, value => {
            expect(codec.is(value)).to.equal(true)
            expect(codec.decode(codec.encode(value))).to.deep.equal(right(value))
          }),
        )
      })

      it('decodes any input to a valid value or to a failure', () => {
        fc.assert(
          fc.property(inputs, input => {
            const decoded = codec.decode(input)
            if (isRight(decoded)) expect(codec.is(decoded.right)).to.equal(true)
            if (codec.is(input)) expect(isRight(codec.decode(codec.encode(input)))).to.equal(true)
          }),
        )
      })
    })
})
