import { setTimeout as pause } from 'node:timers/promises'
import { keyInUse, type StorageError } from '@snippets/domain/ports/errors.js'
import { expect } from 'chai'
import { type Either, isLeft, left } from 'fp-ts/lib/Either.js'
import { type Document, Long } from 'mongodb'
import { errorText } from '../support/error-text.js'
import { describeWithDatabase, documentOf } from '../support/mongo/database.js'
import type { ReplicaSetFront } from '../support/mongo/replica-set-front.js'
import { recordingLog } from '../support/service/logs.js'
import { anId, anyRevision, changes, draft, must, now } from '../support/snippets.js'

// The shapes of replies are those of the driver specifications (https://github.com/mongodb/specifications: retryable
// writes, CRUD) and of mongos (src/mongo/s/write_ops/batch_write_exec.cpp in https://github.com/mongodb/mongo).

const errorCodes = {
  // the errors of mongos for each row of a command whose shard it has lost: the shard may have stored the rows
  unknown: [6, 7, 89, 91, 133, 189, 202, 10_107, 11_600, 11_602],
  // the database rolls the row back
  unapplied: [24, 112, 249, 365, 13_388],
}
const rejectionCodes = [2, 13, 14, 66, 121]
const duplicateKey = 11_000

/** MongoDB quotes rows in its messages. */
const quoting = 'not authorized to execute command { title: "a text of an author" }'
const rowError = (code: number) => ({ ok: 1, n: 0, writeErrors: [{ index: 0, code, errmsg: quoting }] })

const isWrite = (command: Document): boolean =>
  'insert' in command || 'delete' in command || (command.findAndModify === 'snippets' && 'update' in command)

const rejectWrites =
  (code: number) =>
  (command: Document): Document | undefined =>
    isWrite(command) ? { ok: 0, code, errmsg: quoting } : undefined

describeWithDatabase('A reply of a MongoDB server:', ({ collection, openBehindFront }) => {
  const keyed = { key: 'k', fingerprint: 'f' }

  /** Replies to inserts of snippets in place of the database. */
  const replyToInserts = ({ intercept }: ReplicaSetFront, reply: Document): void =>
    intercept(({ insert }) => (insert === 'snippets' ? reply : undefined))

  const replyToClaims = ({ intercept }: ReplicaSetFront, reply: Document): void =>
    intercept(({ update }) => (update === 'idempotency_keys' ? reply : undefined))

  const rowCount = () => collection().countDocuments()

  const expectOutcome = (result: Either<StorageError, unknown>, outcome: string, message: unknown): void =>
    void expect(result, String(message)).to.have.nested.property('left.outcome', outcome)

  for (const [outcome, codes] of Object.entries(errorCodes))
    it(`an error of a row leaves its creation ${outcome}, and the row is not inserted again: ${codes}`, async () => {
      const { front, snippets } = await openBehindFront()
      for (const code of codes) {
        replyToInserts(front, rowError(code))
        expectOutcome(await snippets.create(draft())(), outcome, code)
        expectOutcome(await snippets.createOnce(draft(), { key: `${code}`, fingerprint: 'f' })(), outcome, code)
      }
      expect(front.requests().filter(({ insert }) => insert === 'snippets')).to.have.length(2 * codes.length)
    })

  for (const [what, code, reads] of [
    ['a rejected write to the counter is followed by a read that tells whether the counter is malformed', 2, 1],
    ['a write to the counter without a primary is followed by no read', 91, 0],
  ] as const)
    it(what, async () => {
      const { front, snippets } = await openBehindFront()
      front.intercept(({ findAndModify }) =>
        findAndModify === 'counters' ? { ok: 0, code, errmsg: quoting } : undefined,
      )
      const before = front.requests().length
      expect(isLeft(await snippets.create(draft())())).to.equal(true)
      const later = front.requests().slice(before)
      expect(later.filter(({ find }) => find === 'counters')).to.have.length(reads)
    })

  it('a rejection of a command or of a row is Rejected without its quotation, and is no outage', async () => {
    const { log, warnings } = recordingLog()
    const { front, snippets } = await openBehindFront({ log })
    const results: Either<StorageError, unknown>[] = []
    for (const code of rejectionCodes) {
      front.intercept(rejectWrites(code))
      for (const write of [
        snippets.create(draft()),
        snippets.createOnce(draft(), { key: `${code}`, fingerprint: 'f' }),
        snippets.update(anId(1n), {}, anyRevision, now),
        snippets.delete(anId(1n), anyRevision),
      ])
        results.push(await write())
      replyToInserts(front, rowError(code))
      results.push(await snippets.create(draft())())
      replyToClaims(front, rowError(code))
      results.push(await snippets.createOnce(draft(), { key: `row ${code}`, fingerprint: 'f' })())
    }
    // a unique index of an operator
    front.intercept(rejectWrites(duplicateKey))
    results.push(await snippets.update(anId(1n), changes({ title: 'new' }), anyRevision, now)())
    replyToInserts(front, rowError(duplicateKey))
    results.push(await snippets.create(draft())())
    for (const result of results) {
      expect(result).to.have.nested.property('left._tag', 'Rejected')
      if (isLeft(result)) expect(errorText(result.left)).to.not.include('of an author')
    }
    expect(warnings()).to.deep.equal([])
  })

  it('a write concern error leaves all outcomes unknown, also beside the errors of rows', async () => {
    const { front, snippets } = await openBehindFront()
    for (const code of [13, 64]) {
      const unconfirmed = { writeConcernError: { code, errmsg: 'timed out' } }
      front.intercept(command => (isWrite(command) ? { ok: 1, n: 1, value: null, ...unconfirmed } : undefined))
      for (const write of [
        snippets.create(draft()),
        snippets.update(anId(1n), {}, anyRevision, now),
        snippets.delete(anId(1n), anyRevision),
      ])
        expectOutcome(await write(), 'unknown', code)
      replyToInserts(front, { ...rowError(duplicateKey), ...unconfirmed })
      expectOutcome(await snippets.create(draft())(), 'unknown', code)
    }
  })

  it('a lagging majority holds a write in the server no longer than its caller waits', async () => {
    const { front, snippets } = await openBehindFront({ query: '&maxPoolSize=8' })
    let [waiting, most] = [0, 0]
    // a server does not notice that its client has left
    front.intercept(async command => {
      if (!isWrite(command)) return undefined
      most = Math.max(most, ++waiting)
      await pause(Number(command.writeConcern.wtimeout ?? 30_000), undefined, { ref: false })
      waiting--
      return { ok: 1, n: 1, value: null, writeConcernError: { code: 64, errmsg: 'timed out' } }
    })
    const update = snippets.update(anId(1n), {}, anyRevision, now)
    const updateTwice = async () => {
      for (const attempt of [1, 2]) expectOutcome(await update(), 'unknown', attempt)
    }
    await Promise.all([updateTwice(), updateTwice()])
    expect(most).to.equal(2)
  })

  it('a lost reply to the second insert of a batch makes the outcomes of this insert unknown, and of no other', async () => {
    const { front, snippets } = await openBehindFront()
    let inserts = 0
    front.intercept(command => ('insert' in command && ++inserts > 1 ? 'cut' : undefined))
    const results = await Promise.all(Array.from({ length: 603 }, () => snippets.create(draft())()))
    const counts = new Map<string, number>()
    for (const result of results) {
      const outcome = isLeft(result) && 'outcome' in result.left ? result.left.outcome : 'stored'
      counts.set(outcome, 1 + (counts.get(outcome) ?? 0))
    }
    expect(Object.fromEntries(counts)).to.deep.equal({ stored: await rowCount(), unknown: 201, unapplied: 201 })
  })

  it('an error for a claim leaves the creation unapplied, and a retry finishes it', async () => {
    const { front, snippets } = await openBehindFront()
    replyToClaims(front, rowError(91))
    expectOutcome(await snippets.createOnce(draft(), keyed)(), 'unapplied', 91)
    expect(await rowCount()).to.equal(0)
    front.intercept(() => undefined)
    expect(must(await snippets.createOnce(draft(), keyed)())).to.include({ isReplay: false })
  })

  it('a rejected claim fails only its own creation', async () => {
    const { front, snippets } = await openBehindFront()
    replyToClaims(front, rowError(121))
    const create = (key: string) => snippets.createOnce(draft(), { key, fingerprint: 'f' })()
    const [first, second] = await Promise.all([create('first'), create('second')])
    expect(first).to.have.nested.property('left._tag', 'Rejected')
    expect(must(second)).to.include({ isReplay: false })
    expect(await rowCount()).to.equal(1)
  })

  it('an id or a claim that a majority does not confirm in time leaves the creation unapplied, and a retry finishes it', async () => {
    const { front, snippets } = await openBehindFront()
    for (const unconfirmed of ['counters', 'idempotency_keys']) {
      front.interceptReply(({ findAndModify, update }, reply) => ({
        ...reply,
        ...([findAndModify, update].includes(unconfirmed) && { writeConcernError: { code: 64, errmsg: 'timed out' } }),
      }))
      expectOutcome(await snippets.createOnce(draft(), keyed)(), 'unapplied', unconfirmed)
    }
    front.interceptReply((_, reply) => reply)
    const { item, isReplay } = must(await snippets.createOnce(draft(), keyed)())
    expect({ id: item.id, isReplay }).to.deep.equal({ id: 2n, isReplay: false })
    expect(await rowCount()).to.equal(1)
  })

  it('a claim that a majority has not confirmed makes its key KeyInUse', async () => {
    const { front, snippets } = await openBehindFront()
    must(await snippets.createOnce(draft(), keyed)())
    const nothing = { ok: 1, cursor: { id: Long.ZERO, ns: 'test.snippets', firstBatch: [] } }
    front.intercept(({ find, readConcern }) => (find && readConcern?.level === 'majority' ? nothing : undefined))
    expect(await snippets.createOnce(draft(), keyed)()).to.deep.equal(left(keyInUse))
  })

  it('a shard without a primary fails the reads of its snippets, but no others, and holds a quarter of the pool at most', async () => {
    const { front, snippets } = await openBehindFront({ query: '&maxPoolSize=16', isSharded: true })
    const isLost = (id: number) => id % 3 === 0
    const slow = 7
    const sizes: number[] = []
    let [running, most] = [0, 0]
    front.intercept(async ({ find, filter, maxTimeMS }) => {
      if (find !== 'snippets') return undefined
      const ids: readonly number[] = filter._id.$in.map(Number)
      sizes.push(ids.length)
      most = Math.max(most, ++running)
      const timesOut = ids.some(isLost) || (ids.includes(slow) && maxTimeMS < 100)
      if (timesOut) await pause(Number(maxTimeMS))
      running--
      if (timesOut) return { ok: 0, code: 50, errmsg: 'operation exceeded time limit' }
      return { ok: 1, cursor: { id: Long.ZERO, ns: 'test.snippets', firstBatch: ids.map(id => documentOf(id)) } }
    })
    const failedOf = async (ids: readonly number[]): Promise<readonly number[]> => {
      const results = await Promise.all(ids.map(id => snippets.get(anId(BigInt(id)))()))
      return ids.filter((_, i) => results[i]?._tag === 'Left')
    }
    expect(await failedOf([1, 2, 4])).to.deep.equal([])
    expect(await failedOf([1, 2, 3])).to.deep.equal([3])
    expect(await failedOf([slow])).to.deep.equal([])
    const many = Array.from({ length: 30 }, (_, i) => i + 8)
    expect(await failedOf(many)).to.deep.equal(many.filter(isLost))
    expect(new Set(sizes)).to.deep.equal(new Set([1]))
    expect(most).to.be.at.most(4)
  })

  it('a first batch has all rows of a lookup, because a getMore is not retried', async () => {
    const { front, snippets } = await openBehindFront()
    const create = (i: number) => snippets.createOnce(draft(), { key: `${i}`, fingerprint: 'f' })()
    const created = (await Promise.all(Array.from({ length: 150 }, (_, i) => create(i)))).map(must)
    await Promise.all(created.map(({ item }) => snippets.get(item.id)()))
    await Promise.all(created.map((_, i) => create(i)))
    const finds = front.requests().filter(({ filter }) => filter?._id?.$in?.length === 150)
    const collections = ['idempotency_keys', 'snippets', 'idempotency_keys', 'snippets']
    expect(finds.map(({ find }) => find)).to.deep.equal(collections)
    for (const { batchSize } of finds) expect(Number(batchSize)).to.be.above(150)
    expect(front.commands()).to.not.include('getMore')
  })
})
