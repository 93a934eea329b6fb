import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { contentFieldNames } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { isRight, right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { bodies, character, fieldValues, ids, partialBodies, times, versions } from '../support/samples.js'
import { root } from '../support/workspace-root.js'

/** The values of each codec that the domain exports, by the name of the export and of the field in it. */
const values: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  ...Object.fromEntries(contentFieldNames.map(field => [`contentFields.${field}`, fieldValues[field]])),
  ...Object.fromEntries(contentFieldNames.map(field => [`snippetFields.${field}`, fieldValues[field]])),
  'snippetFields.created_at': times,
  'snippetFields.version': versions,
  contentCodec: bodies,
  changesCodec: partialBodies,
  snippetCodec: fc.record({ ...fieldValues, created_at: times, version: versions }),
  userCodec: fc.record({ username: fc.string({ unit: character, minLength: 1, maxLength: 150 }) }),
  idCodec: ids,
  idString: ids,
}

const codecsIn = (name: string, value: unknown): readonly (readonly [string, t.Mixed])[] => {
  if (value instanceof t.Type) return [[name, value]]
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, item]) => codecsIn(`${name}.${key}`, item))
    : []
}

const files = readdirSync(join(root, 'domain/src'), { recursive: true, encoding: 'utf8' })
const modules = await Promise.all(
  files.filter(file => file.endsWith('.ts')).map(file => import(`@snippets/domain/${file.replace(/ts$/, 'js')}`)),
)
const codecs = modules.flatMap(module => Object.entries(module).flatMap(([name, value]) => codecsIn(name, value)))

// values that are nearly right, and anything else
const inputs = fc.oneof(
  ...Object.values(values),
  ids.map(String),
  fc.constantFrom('', '0', '01', 0, 0n, -1, 1.5, 2n ** 63n, '\ud800', 'x'.repeat(20_000)),
  fc.anything({ withBigInt: true, withDate: true }),
)

describe('The codecs of the domain', () => {
  it('all have a generator in this test', () => {
    expect(codecs.map(([name]) => name)).to.have.members(Object.keys(values))
  })

  for (const [name, codec] of codecs)
    describe(name, () => {
      it('recognises its values, and decodes its own encoding', () => {
        fc.assert(
          fc.property(values[name] ?? fc.constant(undefined), value => {
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
