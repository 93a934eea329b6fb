import { inspect } from 'node:util'
import { keyLifetimeMs } from '@snippets/domain/entities/idempotency-key.js'
import { keyReused, stale } from '@snippets/domain/ports/errors.js'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { BSONRegExp, Decimal128, Double, Int32 } from 'mongodb'
import { describeWithDatabase, documentOf } from '../support/mongo/database.js'
import { anId, anyRevision, draft, must } from '../support/snippets.js'

describeWithDatabase('Idempotency keys in MongoDB', ({ collection, open, openBehindFront }) => {
  const keyed = { key: 'k', fingerprint: 'f' }
  const now = Date.now()
  const content = draft({ created_at: now })
  const claims = () => collection('idempotency_keys')

  it('are read first, so that a replay takes no id and writes nothing', async () => {
    const { front, snippets } = await openBehindFront()
    const { item } = must(await snippets.createOnce(content, keyed)())
    const before = front.commands().length
    expect(must(await snippets.createOnce(content, keyed)())).to.include({ isReplay: true })
    expect(front.commands().slice(before)).to.deep.equal(['find', 'find'])
    expect(must(await snippets.create(content)()).id).to.equal(item.id + 1n)
  })

  it('are kept as claims when their snippets are deleted, and expire by a TTL index', async () => {
    const { snippets } = await open()
    const { item } = must(await snippets.createOnce(content, keyed)())
    expect(await snippets.delete(item.id, { oneOf: [{ ...item, version: 2 }] })()).to.deep.equal(left(stale))
    must(await snippets.delete(item.id, anyRevision)())
    expect(await collection().countDocuments()).to.equal(0)
    const expected = { _id: 'k', id: item.id, created_at: new Date(now), fingerprint: 'f', deleted: true }
    expect(await claims().find().toArray()).to.deep.equal([expected])
    const [expiry] = (await claims().indexes()).filter(({ name }) => name === 'expiry')
    expect(Number(expiry?.expireAfterSeconds)).to.equal((2 * keyLifetimeMs) / 1000)
  })

  it('cost one read and one write for a batch of creations, also when many have expired', async () => {
    const { front, snippets } = await openBehindFront()
    const createAll = async (created_at: number) => {
      const before = front.commands().length
      const create = (_: unknown, i: number) =>
        snippets.createOnce(draft({ created_at }), { key: `key ${i}`, fingerprint: 'f' })()
      const created = await Promise.all(Array.from({ length: 40 }, create))
      expect(created.map(must).filter(({ isReplay }) => isReplay)).to.deep.equal([])
      return front.commands().slice(before)
    }
    expect(await createAll(now - keyLifetimeMs)).to.deep.equal(['find', 'findAndModify', 'update', 'insert'])
    expect((await createAll(now)).filter(name => name === 'update')).to.have.length(1)
  })

  it('keep their time and get another id when the counter is behind the collection', async () => {
    const { snippets } = await open()
    await collection().insertMany([documentOf(1), documentOf(2)])
    const { item, isReplay } = must(await snippets.createOnce(content, keyed)())
    expect({ id: item.id, isReplay }).to.deep.equal({ id: 3n, isReplay: false })
    expect(await claims().findOne()).to.include({ id: 3n })
    expect(must(await snippets.createOnce(content, keyed)())).to.deep.equal({ item, isReplay: true })
  })

  it('are finished by a retry when their snippet was never stored', async () => {
    const { front, snippets } = await openBehindFront()
    await claims().insertOne({ _id: 'k', id: 7n, created_at: new Date(now - 1000), fingerprint: 'f' })
    const { item, isReplay } = must(await snippets.createOnce(content, keyed)())
    expect({ ...item, isReplay }).to.include({ id: 7n, created_at: now - 1000, isReplay: false })
    // the second read of the claim must not miss the mark of a delete
    const levels = front
      .requests()
      .flatMap(({ find, readConcern }) => (find === 'idempotency_keys' ? [readConcern.level] : []))
    expect(levels).to.deep.equal(['majority', 'local'])
  })

  it('fail only their own creations while their claims are malformed', async () => {
    const { snippets } = await open()
    const intact = { id: 7n, created_at: new Date(now), fingerprint: 'f' }
    const malformed = [
      { id: 'a text of an author' },
      { id: 0n },
      { id: 1.5 },
      { created_at: '2024-01-01' },
      { fingerprint: 7 },
      { deleted: 'yes' },
    ]
    await claims().insertMany(malformed.map((fault, i) => ({ _id: `${i}`, ...intact, ...fault })))
    const create = (_: unknown, i: number) => snippets.createOnce(content, { ...keyed, key: `${i}` })()
    const [good, ...others] = (await Promise.all([...malformed, {}].map(create))).reverse()
    expect(good).to.have.nested.property('right.isReplay', false)
    for (const other of others) expect(other).to.have.nested.property('left._tag', 'Corrupt')
    expect(inspect(others)).to.include('stored with a malformed created_at').and.not.include('author')
  })

  it('fail only their own creations while the driver cannot decode their claims', async () => {
    const { front, snippets } = await openBehindFront()
    // `imx` becomes options that a regular expression cannot have
    front.spoil({ spoiled: 0xff, pattern: '('.charCodeAt(0), imx: 'g'.charCodeAt(0) })
    const intact = { id: 7n, created_at: new Date(now), fingerprint: 'f' }
    await claims().insertMany([
      { _id: '0', ...intact, fingerprint: 'spoiled' },
      { _id: '1', ...intact, spoiled: ['spoiled', new BSONRegExp('pattern', 'imx')] },
    ])
    const create = (key: string) => snippets.createOnce(content, { ...keyed, key })()
    const [faulty, foreign, good] = await Promise.all(['0', '1', '2'].map(create))
    expect(faulty).to.deep.equal(left(keyReused))
    expect(foreign).to.have.nested.property('right.item.id', 7n)
    expect(good).to.have.nested.property('right.isReplay', false)
  })

  it('of snippets that the driver cannot decode do not hinder their deletion', async () => {
    const { front, snippets } = await openBehindFront()
    front.spoil({ spoiled: 0xff })
    await collection().insertOne({ ...documentOf(5), idempotency_key: 'spoiled', title: 'spoiled' })
    must(await snippets.delete(anId(5n), anyRevision)())
    expect(await collection().countDocuments()).to.equal(0)
  })

  it('have claims and rows with an id of any numeric type', async () => {
    const { snippets } = await open()
    const ids = [new Int32(7), new Double(8), Decimal128.fromString('9')]
    await claims().insertMany(ids.map((id, i) => ({ _id: `${i}`, id, created_at: new Date(now), fingerprint: 'f' })))
    await collection().insertOne({ _id: Decimal128.fromString('8.0'), idempotency_key: '1' })
    const createAll = async (created_at: number) => {
      const create = (_: unknown, i: number) => snippets.createOnce(draft({ created_at }), { ...keyed, key: `${i}` })()
      return (await Promise.all(ids.map(create))).map(created => must(created).item.id)
    }
    expect(await createAll(now)).to.deep.equal([7n, 8n, 9n])
    // the claims have expired, and are replaced
    expect(await createAll(now + keyLifetimeMs)).to.deep.equal([10n, 11n, 12n])
  })
})
