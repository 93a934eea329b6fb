import { expect } from 'chai'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { describeMongo, documentOf, mongoForEach } from '../support/mongo/database.js'
import { draft } from '../support/snippets.js'

describeMongo('Creations that share an insert', engine => {
  const { db, open, front: newFront } = mongoForEach(engine)
  const create = (storage: Awaited<ReturnType<typeof open>>, count: number, code: string) =>
    Promise.all(Array.from({ length: count }, (_, i) => storage.snippets.create(draft({ title: `row ${i}`, code }))()))

  it('have an unknown outcome when the first command of a split insert rejects a row and a later command fails', async () => {
    const front = await newFront()
    front.limitDocumentSize(20_000)
    const storage = await open({ url: front.url })
    // the third id is in use, as if the counter were behind
    await db().collection<{ _id: bigint }>('snippets').insertOne(documentOf(3))
    let inserts = 0
    front.intercept(command => ('insert' in command && ++inserts > 1 ? 'cut' : undefined))
    const results = await create(storage, 12, 'x'.repeat(4000))
    expect(inserts).to.be.above(1)
    const titles = (await db().collection('snippets').find().toArray()).map(({ title }) => title)
    expect(titles).to.have.length.above(1)
    for (const [i, result] of results.entries()) {
      if (isRight(result)) expect(titles).to.include(`row ${i}`)
      else expect(result.left).to.include({ _tag: 'Unavailable', outcome: 'unknown' })
    }
    expect(results.filter(isLeft)).to.have.length.above(9)
  })

  it('are sent in inserts of limited row count, each with its own outcome', async () => {
    const front = await newFront()
    const storage = await open({ url: front.url })
    let inserts = 0
    front.intercept(command => ('insert' in command && ++inserts > 1 ? 'cut' : undefined))
    const results = await create(storage, 100, 'x'.repeat(1000))
    const stored = await db().collection('snippets').countDocuments()
    expect(stored).to.be.above(0).and.below(100)
    expect(results.filter(isRight)).to.have.length(stored)
  })
})
