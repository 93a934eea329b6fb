import { expect } from 'chai'
import { serviceClients } from '../../support/faults/client.js'
import { type Audit, audit, openLedger, type Row } from '../../support/faults/ledger.js'
import { counting, creating, killWhileWriting, repeating } from '../../support/faults/load.js'
import { describeMongo, mongoForEach } from '../../support/mongo/database.js'
import { startProcess } from '../../support/service/child-process.js'
import { draft, must } from '../../support/snippets.js'

const kills = 6

describeMongo('Several service processes on one MongoDB', engine => {
  const { url, db, open } = mongoForEach(engine)

  it(`lose no acknowledged write and assign no id twice when killed ${kills} times while writing`, async function () {
    this.timeout(60_000)
    const ledger = openLedger()
    const storage = await open()
    must(await storage.snippets.create(draft({ title: 'counter', code: '0' }))())
    const start = () => startProcess({ STORAGE: 'mongo', MONGODB_URL: url(), ACCESS_LOG: 'off' })
    const writing = [
      creating(ledger),
      creating(ledger),
      counting(ledger, 1n, 'PUT'),
      counting(ledger, 1n, 'PATCH'),
    ] as const

    let killed = 0
    const liveAndDie = async (): Promise<void> => {
      while (killed < kills) {
        const number = ++killed
        await killWhileWriting(await start(), ledger, writing, 100 + ((number * 37) % 150))
      }
    }
    await Promise.all([liveAndDie(), liveAndDie(), liveAndDie()])
    const last = await start()
    await repeating(await serviceClients(last.url), writing, () => ledger.repeating.size > 0)
    last.kill('SIGTERM')
    expect((await last.ended).code).to.equal(0)

    const stored = await db().collection<Row>('snippets').find().toArray()
    expect(audit(ledger, stored)).to.deep.equal({ lost: [], duplicateIds: [], unexpected: [] } satisfies Audit)
    const updates = ledger.counts.get(1n)?.set ?? []
    expect(updates).to.not.deep.equal([])
    const written = `${ledger.created.length} creations and ${updates.length} updates`
    console.log(`${' '.repeat(6)}${kills} kills, ${written} acknowledged, none lost`)
  })
})
