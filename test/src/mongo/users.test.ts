import { makeWindow } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import { describeWithDatabase } from '../support/mongo/database.js'
import { anId, must } from '../support/snippets.js'

describeWithDatabase('Users in MongoDB', ({ collection, open }) => {
  it('are Corrupt without a valid username when read alone, and left out of pages', async () => {
    const stored = [{ _id: 1n, username: 'one', id: 'x' }, { _id: 2n }, { _id: 4n, username: 'x'.repeat(151) }]
    await collection('users').insertMany(stored)
    const { users } = await open()
    for (const id of [2n, 4n]) expect(await users.get(anId(id))()).to.have.nested.property('left._tag', 'Corrupt')
    const page = must(await users.page(makeWindow(1, 10))())
    expect(page).to.deep.equal({ count: 3, items: [{ id: 1n, username: 'one' }], hasMore: false })
  })
})
