import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openMongoRows } from '@snippets/adapters-mongo/mongo-rows.js'
import { maxId } from '@snippets/domain/id.js'
import { expect } from 'chai'
import { everything } from '../contracts/storage/stream.js'
import { directories, openKept } from '../support/kept.js'
import { describeMongo, freshDatabase, openPrepared } from '../support/mongo/database.js'
import { anId, draft, must } from '../support/snippets.js'
import { runTransfer } from '../support/transfer.js'

const rows = 100_000

describeMongo('A transfer between a directory and MongoDB', engine => {
  const newDirectory = directories()

  it(`keeps ${rows} snippets, the users and the next id both ways`, async function () {
    this.timeout(280_000)
    const { url, db, drop } = freshDatabase(engine)
    const from = await newDirectory()
    const kept = await openKept(from, { firstId: 2n ** 53n })
    for (let i = 0; i < rows; i += 1000)
      await Promise.all(
        Array.from({ length: 1000 }, (_, j) =>
          kept.snippets.create(draft({ title: `title ${i + j}`, created_at: i }))(),
        ),
      )
    await kept.close()
    const there = await runTransfer(['--from', from, '--to', url])
    expect(there.code, there.stderr).to.equal(0)
    const storage = await openPrepared(url, { users: [{ id: anId(9n), username: 'ann' }] })
    const next = must(await storage.snippets.create(draft())())
    expect(next.id).to.equal(2n ** 53n + BigInt(rows))
    await storage.close()
    const to = join(await newDirectory(), 'data')
    const back = await runTransfer(['--from', url, '--to', to])
    expect(back.code, back.stderr).to.equal(0)
    const again = await openKept(to)
    expect(await everything(again.snippets)).to.deep.equal([...(await everything(kept.snippets)), next])
    expect(must(await again.users.get(anId(9n))())).to.deep.equal({ id: 9n, username: 'ann' })
    await again.close()

    // a row that others write to the target while nobody looks
    await db.collection('snippets').updateOne({ _id: (2n ** 53n) as never }, { $set: { title: 'other' } })
    const merged = await runTransfer(['--from', from, '--to', url, '--merge'])
    expect(merged.code).to.equal(1)
    expect(merged.stderr).to.contain(`snippet 9007199254740992 differs between ${from} and `)
    await rm(from, { recursive: true })
    await drop()
  })

  it('refuses a last id beyond the largest', async () => {
    const { url, db, drop } = freshDatabase(engine)
    const rows = must(await openMongoRows(url))
    const refused = await rows.raiseLastId(maxId + 1n)
    expect(refused)
      .to.have.property('left')
      .that.matches(/^cannot keep 9223372036854775808 as its last id/)
    expect(await db.collection('counters').countDocuments()).to.equal(0)
    must(await rows.raiseLastId(maxId))
    expect(must(await rows.summary()).lastId).to.equal(maxId)
    await rows.close()
    await drop()
  })

  it('never lowers the last id, which is at least the largest in use', async () => {
    const { url, db, drop } = freshDatabase(engine)
    const rows = must(await openMongoRows(url))
    must(await rows.raiseLastId(70n))
    must(await rows.raiseLastId(7n))
    expect(must(await rows.summary()).lastId).to.equal(70n)
    await db.collection<{ _id: bigint }>('snippets').insertOne({ _id: 500n })
    expect(must(await rows.summary()).lastId).to.equal(500n)
    await rows.close()
    await drop()
  })

  it('names a row of the source that is not valid', async () => {
    const { url, db, drop } = freshDatabase(engine)
    await db.collection('snippets').insertOne({ _id: 1n as never, title: '' })
    const { code, stderr } = await runTransfer(['--from', url, '--to', join(await newDirectory(), 'data')])
    expect(code).to.equal(1)
    expect(stderr).to.match(/ has a row that cannot be carried over \(snippet 1 is stored with a malformed title, /)
    await drop()
  })
})
