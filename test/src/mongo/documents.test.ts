import { inspect } from 'node:util'
import type { MongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { makeSnippetDocument } from '@snippets/adapters-mongo/snippets/snippet-document.js'
import { firstVersion, snippetFields } from '@snippets/domain/entities/snippet.js'
import { namesOf } from '@snippets/domain/values/record.js'
import { expect } from 'chai'
import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { BSONRegExp, BSONSymbol, Decimal128, Double, Int32 } from 'mongodb'
import { everything } from '../contracts/storage/stream.js'
import { describeWithDatabase, type RawDocument } from '../support/mongo/database.js'
import { firstPage } from '../support/queries.js'
import { recordingLog } from '../support/service/logs.js'
import { anId, anyRevision, changes, draft, must, now } from '../support/snippets.js'

const { _id: _, ...intact } = makeSnippetDocument(firstVersion(anId(1n), draft({ created_at: 5 })))

const malformed: Readonly<Record<string, object>> = {
  'no title': { ...intact, title: undefined },
  'a date after the year 9999': { ...intact, created_at: new Date('+010000-01-01T00:00:00.000Z') },
  'a date that is text': { ...intact, created_at: '2024-01-01' },
  'a version that is text': { ...intact, version: 'one' },
  'a version that is too large': { ...intact, version: 2n ** 53n },
}

const latin = 'in Latin-1'
const pattern = 'unclosed'
/** Replies hold bytes that are not UTF-8, and a pattern that JavaScript refuses. */
const spoiled = { [latin]: 0xff, [pattern]: '('.charCodeAt(0) }

/** Values that the driver cannot decode, or reads as other values. */
const undecodable: Readonly<Record<string, object>> = {
  'a title that is not UTF-8': { ...intact, title: latin },
  'a title in a map that is not UTF-8': { ...intact, title: { [latin]: latin } },
  'a title that is a pattern which JavaScript refuses': { ...intact, title: new BSONRegExp(pattern) },
  'a language in a form that JavaScript has no name for': { ...intact, language: new BSONSymbol(latin) },
}

/** Fields of other programs that the driver cannot decode. */
const foreign = { note: latin, [latin]: [latin], pattern: new BSONRegExp(pattern), symbol: new BSONSymbol(latin) }

describeWithDatabase('Documents in MongoDB', ({ collection, open, openBehindFront }) => {
  let storage: MongoStorage

  beforeEach(async () => {
    storage = await open()
  })

  const tagOf = (result: Either<{ _tag: string }, unknown>): string => (isLeft(result) ? result.left._tag : 'Right')

  const insertRaw = (row: RawDocument) => collection().insertOne(row)

  it('have an int64 id, an int32 version and a date, and the fields of a snippet and no others', async () => {
    const { id } = must(await storage.snippets.create(draft({ created_at: 86_399_999 }))())
    must(await storage.snippets.update(id, changes({ title: 'new' }), anyRevision, now)())
    const types = { _id: { $type: 'long' }, version: { $type: 'int' }, created_at: { $type: 'date' } } as const
    expect(await collection().findOne(types)).to.have.all.keys('_id', ...namesOf(snippetFields))
    expect(await collection('counters').countDocuments({ _id: 'snippets', last: { $type: 'long' } })).to.equal(1)
  })

  it('with a malformed field are Corrupt when read alone or updated, left out of lists, and removed by a delete', async () => {
    const { log, warnings } = recordingLog()
    const { snippets, corruptRows } = await open({ log })
    const good = must(await snippets.create(draft())())
    await insertRaw({ _id: 'a text of an author', ...intact })
    for (const [fault, document] of Object.entries(malformed)) {
      await insertRaw({ _id: 5000n, ...document })
      expect(tagOf(await snippets.get(anId(5000n))()), fault).to.equal('Corrupt')
      expect(must(await snippets.page(firstPage())()).items, fault).to.deep.equal([good])
      expect(await everything(snippets), fault).to.deep.equal([good])
      for (const expected of [{ oneOf: [{ created_at: 9, version: 9 }] }, { oneOf: [] }, anyRevision])
        expect(tagOf(await snippets.update(anId(5000n), {}, expected, now)()), fault).to.equal('Corrupt')
      must(await snippets.delete(anId(5000n), anyRevision)())
    }
    expect(corruptRows()).to.equal(4 * Object.keys(malformed).length)
    expect(warnings()).to.have.length.below(corruptRows())
    expect(inspect(warnings())).to.include('snippet 5000 is stored with a malformed title')
  })

  for (const [fault, document] of Object.entries(undecodable))
    it(`with ${fault} are Corrupt alone, and named in the log`, async () => {
      const { log, warnings } = recordingLog()
      const { front, snippets, corruptRows } = await openBehindFront({ log })
      front.spoil(spoiled)
      const good = must(await snippets.create(draft({ title: 'not this one: \uFFFD' }))())
      await insertRaw({ _id: 5000n, ...document })
      const [found, foundGood] = await Promise.all([anId(5000n), good.id].map(id => snippets.get(id)()))
      expect(tagOf(found ?? right(0))).to.equal('Corrupt')
      expect(foundGood).to.deep.equal(right(good))
      expect(must(await snippets.page(firstPage())()).items).to.deep.equal([good])
      expect(await everything(snippets)).to.deep.equal([good])
      for (const expected of [{ oneOf: [{ created_at: 9, version: 9 }] }, { oneOf: [] }, anyRevision])
        expect(tagOf(await snippets.update(anId(5000n), changes({ code: 'new' }), expected, now)())).to.equal('Corrupt')
      expect(inspect(warnings())).to.include('snippet 5000 is stored')
      expect(corruptRows()).to.equal(2)
      must(await snippets.update(anId(5000n), changes({ title: 'new', language: 'new' }), anyRevision, now)())
      must(await snippets.delete(anId(5000n), anyRevision)())
    })

  it('with fields of other programs that the driver cannot decode are valid', async () => {
    const { front, snippets } = await openBehindFront()
    front.spoil(spoiled)
    await insertRaw({ _id: 5000n, ...intact, ...foreign })
    const updated = must(await snippets.update(anId(5000n), changes({ title: '\uFFFD' }), anyRevision, now)())
    expect(updated.title).to.equal('\uFFFD')
    expect(must(await snippets.get(updated.id)())).to.deep.equal(updated)
    expect(must(await snippets.page(firstPage())()).items).to.deep.equal([updated])
    expect(await everything(snippets)).to.deep.equal([updated])
    const stale = await snippets.update(updated.id, {}, { oneOf: [{ created_at: 9, version: 9 }] }, now)()
    expect(tagOf(stale)).to.equal('Stale')
    must(await snippets.delete(updated.id, anyRevision)())
  })

  it('yield an empty batch of a list, so that it comes in time, if all its rows are corrupt', async () => {
    const titles = [...Array(149).fill(''), 'good']
    await collection().insertMany(titles.map((title, i) => ({ ...intact, _id: BigInt(i + 1), title })))
    const sizes: number[] = []
    for await (const batch of storage.snippets.all()) sizes.push(must(batch).length)
    expect(sizes).to.have.length.above(1)
    expect([sizes[0], sizes.at(-1)]).to.deep.equal([0, 1])
  })

  it('that are malformed or have another type of id fail only their own lookups in a batch', async () => {
    await insertRaw({ _id: 5000n, ...intact, title: '' })
    await insertRaw({ _id: new Int32(7000), ...intact })
    await insertRaw({ _id: new Double(7001), ...intact })
    await insertRaw({ _id: Decimal128.fromString('7002.0'), ...intact })
    await insertRaw({ _id: 8000n, ...intact, id: 'x' })
    const good = must(await storage.snippets.create(draft())())
    const ids = [good.id, anId(5000n), good.id, anId(6000n), anId(7000n), anId(7001n), anId(7002n), anId(8000n)]
    const results = await Promise.all(ids.map(id => storage.snippets.get(id)()))
    expect(results.map(tagOf)).to.deep.equal([
      'Right',
      'Corrupt',
      'Right',
      'NotFound',
      'Corrupt',
      'Corrupt',
      'Corrupt',
      'Right',
    ])
  })

  it('become valid after an update that replaces the malformed fields', async () => {
    await insertRaw({ _id: 5000n, ...intact, title: 7, language: '' })
    const update = (fields: Partial<Record<'title' | 'language', string>>) =>
      storage.snippets.update(anId(5000n), changes(fields), anyRevision, now)()
    expect(tagOf(await update({ title: 'new' }))).to.equal('Corrupt')
    expect(must(await update({ title: 'new', language: 'go' }))).to.include({ title: 'new', language: 'go' })
  })

  it('increase their version beyond an int32', async () => {
    await insertRaw({ _id: 5000n, ...intact, version: 2 ** 31 - 1 })
    const update = async (expected = anyRevision) =>
      must(await storage.snippets.update(anId(5000n), {}, expected, now)())
    const updated = await update()
    expect(updated.version).to.equal(2 ** 31)
    expect((await update({ oneOf: [updated] })).version).to.equal(2 ** 31 + 1)
  })
})
