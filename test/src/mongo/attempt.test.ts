import { Attempt } from '@snippets/adapters-mongo/connection/attempt.js'
import { inTimeAfter } from '@snippets/adapters-mongo/connection/in-time.js'
import { deleteSnippet } from '@snippets/adapters-mongo/snippets/conditional-writes.js'
import { retryKeys } from '@snippets/adapters-mongo/snippets/retry-keys.js'
import { createTogether } from '@snippets/adapters-mongo/snippets/snippet-creation.js'
import type { SnippetDocument } from '@snippets/adapters-mongo/snippets/snippet-document.js'
import { anyRevision } from '@snippets/domain/revision.js'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { MongoServerError } from 'mongodb'
import { describeMongo, freshDatabase } from '../support/mongo/database.js'
import { anId, draft } from '../support/snippets.js'

describe('An operation on MongoDB', () => {
  it('does not start when the connection is made after its deadline', async () => {
    let hasStarted = false
    let connect = (): void => {}
    const inTime = inTimeAfter(() => new Promise<void>(resolve => (connect = resolve)))
    const answer = await inTime(async () => {
      hasStarted = true
      return right(undefined)
    })()
    expect(answer).to.have.property('left').that.includes({ _tag: 'Unavailable', outcome: 'unapplied' })
    connect()
    await new Promise(setImmediate)
    expect(hasStarted).to.equal(false)
  })

  it('answers with a Left whatever it throws', async () => {
    const fault = new Error('unexpected')
    const inTime = inTimeAfter(async () => {})
    const throwing = () => {
      throw fault
    }
    expect(await inTime(throwing)()).to.deep.equal({
      _tag: 'Left',
      left: { _tag: 'Unavailable', outcome: 'unapplied', cause: fault },
    })
  })

  it('reports its result, also when it is refused because too many are under way', async () => {
    const results: unknown[] = []
    const inTime = inTimeAfter(
      async () => {},
      result => results.push(result),
    )
    const answered = await inTime(async () => right('answered'))()
    for (let i = 0; i < 2000; i++) void inTime(() => new Promise<never>(() => {}))()
    const refused = await inTime(async () => right('not begun'))()
    expect(refused).to.have.nested.property('left.outcome', 'unapplied')
    expect(results).to.deep.equal([answered, refused])
  })

  it('tells the outcome of its attempt at the time it fails', async () => {
    const inTime = inTimeAfter(async () => {})
    const sent = { mayBeApplied: () => true, drop: () => {} }
    const failAfter = (steps: (attempt: Attempt) => void) =>
      inTime(async attempt => {
        steps(attempt)
        throw new Error('failed')
      })()
    const unknown = await failAfter(attempt => attempt.sends(sent))
    expect(unknown).to.have.nested.property('left.outcome', 'unknown')
    const refused = await failAfter(attempt => {
      attempt.sends(sent)
      attempt.notApplied()
    })
    expect(refused).to.have.nested.property('left.outcome', 'unapplied')
  })

  it('keeps a row that the database refused out of its cause', async () => {
    const inTime = inTimeAfter(async () => {})
    for (const code of [11000, 121]) {
      const failed = await inTime(async () => {
        throw new MongoServerError({ code, errmsg: 'private' })
      })()
      expect(failed).to.have.nested.property('left.cause.message', `the database refused a row with code ${code}`)
    }
  })

  it('drops what was not sent before it tells the outcome', async () => {
    const inTime = inTimeAfter(async () => {})
    let isDropped = false
    const drop = (): void => {
      isDropped = true
    }
    const failed = await inTime(async attempt => {
      attempt.sends({ mayBeApplied: () => !isDropped, drop })
      throw new Error('failed')
    })()
    expect(failed).to.have.nested.property('left.outcome', 'unapplied')
  })
})

describeMongo('Creating snippets in MongoDB', engine => {
  it('stores nothing for a caller who was told so while ids were reserved', async () => {
    const { db, drop } = freshDatabase(engine)
    const snippets = db.collection<SnippetDocument>('snippets')
    const attempts = [1, 2, 3].map(() => new Attempt())
    const ids = {
      reserve: async () => {
        for (const attempt of attempts.slice(1)) attempt.end()
        return [anId(1n), anId(2n), anId(3n)]
      },
      catchUp: async () => {},
    }
    await createTogether(
      db.client,
      snippets,
      ids,
      retryKeys(db),
    )(attempts.map(attempt => ({ draft: draft(), attempt, answer: () => {} })))
    expect((await snippets.find().toArray()).map(({ _id }) => _id)).to.deep.equal([1n])
    await drop()
  })
})

describeMongo('Deleting a snippet in MongoDB', engine => {
  it('deletes nothing for a caller who was told so while the key was kept', async () => {
    const { db, drop } = freshDatabase(engine)
    const snippets = db.collection<{ _id: bigint }>('snippets')
    const keyed = { _id: 1n, retry: { key: 'k', fingerprint: 'f' } }
    await snippets.insertOne(keyed)
    const attempt = new Attempt()
    const keepKeyOf = async (): Promise<boolean> => {
      attempt.end()
      return true
    }
    const remove = deleteSnippet(db.client, db.collection('snippets'), { ...retryKeys(db), keepKeyOf })
    await remove({ id: anId(1n), expected: anyRevision, attempt })
    expect(await snippets.countDocuments()).to.equal(1)
    await drop()
  })
})
