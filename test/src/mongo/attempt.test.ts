import { setTimeout as pause } from 'node:timers/promises'
import { type Attempt, attemptsAfter } from '@snippets/adapters-mongo/attempt.js'
import type { SnippetDocument } from '@snippets/adapters-mongo/documents.js'
import { createTogether } from '@snippets/adapters-mongo/snippet-creation.js'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { describeMongo, freshDatabase } from '../support/mongo/database.js'
import { anId, draft } from '../support/snippets.js'

describe('an attempt at an operation', () => {
  it('is not begun any more when the connection comes after the answer', async () => {
    let isBegun = false
    const { writing } = attemptsAfter(() => pause(2100))
    const answer = await writing(async () => {
      isBegun = true
      return right(undefined)
    })()
    expect(answer).to.have.property('left').that.includes({ _tag: 'Unavailable', outcome: 'unapplied' })
    await pause(200)
    expect(isBegun).to.equal(false)
  })

  it('is answered with a Left whatever is thrown, and at once', async () => {
    const fault = new Error('not expected')
    const { reading } = attemptsAfter(async () => {})
    const throwing = () => {
      throw fault
    }
    expect(await reading(throwing)()).to.deep.equal({
      _tag: 'Left',
      left: { _tag: 'Unavailable', outcome: 'unapplied', cause: fault },
    })
  })
})

describeMongo('a creation in MongoDB', engine => {
  it('stores nothing for a caller who was told so while the counter was asked', async () => {
    const { db, drop } = freshDatabase(engine)
    const snippets = db.collection<SnippetDocument>('snippets')
    const attempts: Attempt[] = [1, 2, 3].map(() => ({ outcome: 'unapplied', over: false }))
    const ids = {
      reserve: async () => {
        for (const attempt of attempts.slice(1)) attempt.over = true
        return [anId(1n), anId(2n), anId(3n)]
      },
      catchUp: async () => {},
    }
    await createTogether(
      db.client,
      snippets,
      ids,
    )(attempts.map(attempt => ({ draft: draft(), attempt, answer: () => {} })))
    expect((await snippets.find().toArray()).map(({ _id }) => _id)).to.deep.equal([1n])
    await drop()
  })
})
