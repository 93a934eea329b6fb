import type { MongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { anyRevision } from '@snippets/domain/entities/revision.js'
import { keyInUse, type StorageError } from '@snippets/domain/ports/errors.js'
import { expect } from 'chai'
import { type Either, left } from 'fp-ts/lib/Either.js'
import { Long } from 'mongodb'
import { describeMongo, mongoForEach } from '../support/mongo/database.js'
import { isWrite, rejectWrites, secret } from '../support/mongo/rejected-writes.js'
import { recordingLog } from '../support/service/logs.js'
import { anId, changes, draft } from '../support/snippets.js'

const writes: Readonly<Record<string, (storage: MongoStorage) => Promise<Either<StorageError, unknown>>>> = {
  'a creation': ({ snippets }) => snippets.create(draft())(),
  'a creation with a key': ({ snippets }) => snippets.createOnce(draft(), { key: 'k', fingerprint: 'f' })(),
  'an update': ({ snippets }) => snippets.update(anId(1n), changes({ title: 'new' }), anyRevision)(),
  'a delete': ({ snippets }) => snippets.delete(anId(1n), anyRevision)(),
}

const rejectedRow = (code: number) => ({ ok: 1, n: 0, writeErrors: [{ index: 0, code, errmsg: secret }] })

describeMongo('A write that MongoDB rejects', engine => {
  const { open, front: newFront } = mongoForEach(engine)

  const openLogged = async () => {
    const front = await newFront()
    const { log, warnings } = recordingLog()
    const storage = await open({ url: front.url, log })
    return { front, storage, warnings }
  }

  for (const [name, write] of Object.entries(writes))
    it(`is Rejected, is no outage and quotes no text of an author: ${name}`, async () => {
      const { front, storage, warnings } = await openLogged()
      for (const code of [2, 13, 14, 66, 121]) {
        front.intercept(rejectWrites(code))
        const result = await write(storage)
        expect(result).to.have.nested.property('left._tag', 'Rejected')
        expect(result).to.have.nested.property('left.cause.code', code)
        expect(result).to.have.nested.property('left.cause.message').that.does.not.include(secret)
        expect(warnings()).to.deep.equal([])
      }
    })

  it('is Rejected when the reply has a write error for its row', async () => {
    const { front, storage, warnings } = await openLogged()
    for (const code of [121, 66]) {
      front.intercept(command => ('insert' in command ? rejectedRow(code) : undefined))
      const result = await storage.snippets.create(draft())()
      expect(result).to.have.nested.property('left._tag', 'Rejected')
      expect(result).to.have.nested.property('left.cause.message', `the database rejected a row with code ${code}`)
      expect(warnings()).to.deep.equal([])
    }
  })

  it('is Unavailable when the database rejects its row for a transient reason again and again', async () => {
    const { front, storage } = await openLogged()
    const writeConflict = 112
    front.intercept(command => ('insert' in command ? rejectedRow(writeConflict) : undefined))
    const result = await storage.snippets.create(draft())()
    expect(result).to.have.property('left').that.includes({ _tag: 'Unavailable', outcome: 'unapplied' })
  })

  it('is retried when the database rejects its row for a transient reason', async () => {
    const { front, storage } = await openLogged()
    let inserts = 0
    front.intercept(command => ('insert' in command && inserts++ === 0 ? rejectedRow(112) : undefined))
    expect(await storage.snippets.create(draft())()).to.have.nested.property('right.version', 1)
    expect(inserts).to.equal(2)
  })

  it('is Rejected when an update would violate a unique index of an operator', async () => {
    const { front, storage } = await openLogged()
    front.intercept(rejectWrites(11_000))
    expect(await writes['an update']?.(storage)).to.have.nested.property('left._tag', 'Rejected')
  })

  it('is Rejected when an index of an operator rejects each new row as a duplicate', async () => {
    const { front, storage } = await openLogged()
    front.intercept(command => ('insert' in command ? rejectedRow(11_000) : undefined))
    expect(await writes['a creation']?.(storage)).to.have.nested.property('left._tag', 'Rejected')
  })

  it('is KeyInUse when a majority has not confirmed the snippet with its key', async () => {
    const { front, storage } = await openLogged()
    await storage.snippets.createOnce(draft(), { key: 'k', fingerprint: 'f' })()
    const nothing = { ok: 1, cursor: { id: Long.ZERO, ns: 'test.snippets', firstBatch: [] } }
    front.intercept(({ find, readConcern }) => (find && readConcern?.level === 'majority' ? nothing : undefined))
    const keyed = await storage.snippets.createOnce(draft(), { key: 'k', fingerprint: 'f' })()
    expect(keyed).to.deep.equal(left(keyInUse))
  })

  it('has an unknown outcome when a majority did not confirm it', async () => {
    const { front, storage } = await openLogged()
    const unconfirmed = { ok: 1, n: 1, value: null, writeConcernError: { code: 13, errmsg: 'x' } }
    front.intercept(command => (isWrite(command) ? unconfirmed : undefined))
    for (const name of ['a creation', 'an update', 'a delete'])
      expect(await writes[name]?.(storage), name).to.have.nested.property('left.outcome', 'unknown')
  })
})
