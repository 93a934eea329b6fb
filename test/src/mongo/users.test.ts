import { makeWindow } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import { describeWithDatabase } from '../support/mongo/database.js'
import { anId, must } from '../support/snippets.js'

describeWithDatabase('Users in MongoDB', ({ collection, open, newFront }) => {
  it('are completed by the next attempt when the database rejects one of them, and never inserted again', async () => {
    const front = await newFront()
    const settings = [
      { id: anId(1n), username: 'ada' },
      { id: anId(2n), username: 'bob' },
    ]
    let inserts = 0
    front.intercept(async ({ insert }) => {
      if (insert !== 'users' || ++inserts > 1) return undefined
      await collection('users').insertOne({ _id: 1n, username: 'ada' })
      return { ok: 1, n: 1, writeErrors: [{ index: 1, code: 121, errmsg: 'failed validation' }] }
    })
    const namesOf = async () => (await collection('users').find().sort({ _id: 1 }).toArray()).map(user => user.username)
    const { close } = await open({ url: front.url, users: settings })
    expect(await namesOf()).to.deep.equal(['ada', 'bob'])
    await close()
    await collection('users').deleteOne({ _id: 1n })
    await open({ users: settings })
    expect(await namesOf()).to.deep.equal(['bob'])
  })

  it('are Corrupt without a valid username when read alone, and left out of pages', async () => {
    const stored = [{ _id: 1n, username: 'one', id: 'x' }, { _id: 2n }, { _id: 4n, username: 'x'.repeat(151) }]
    await collection('users').insertMany(stored)
    const { users } = await open()
    for (const id of [2n, 4n]) expect(await users.get(anId(id))()).to.have.nested.property('left._tag', 'Corrupt')
    const page = must(await users.page(makeWindow(1, 10))())
    expect(page).to.deep.equal({ count: 3, items: [{ id: 1n, username: 'one' }], hasMore: false })
  })

  it('that the driver cannot decode are Corrupt alone, and do not delay the start', async () => {
    const front = await newFront()
    front.spoil({ spoiled: 0xff })
    await collection('users').insertMany([
      { _id: 1n, username: 'spoiled' },
      { _id: 2n, username: 'two', spoiled: 'spoiled' },
      { _id: 'spoiled', username: 'three' },
    ])
    const { users } = await open({ url: front.url, users: [{ id: anId(9n), username: 'nine' }] })
    expect(await users.get(anId(1n))()).to.have.nested.property('left._tag', 'Corrupt')
    const two = { id: 2n, username: 'two' }
    expect(must(await users.get(anId(2n))())).to.deep.equal(two)
    expect(must(await users.page(makeWindow(1, 10))())).to.deep.equal({ count: 3, items: [two], hasMore: false })
  })
})
