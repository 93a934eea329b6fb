import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { eventually } from '../../support/eventually.js'
import { serviceClients } from '../../support/faults/client.js'
import { type Audit, audit, openLedger, type Row } from '../../support/faults/ledger.js'
import { counting, creating, repeating } from '../../support/faults/load.js'
import { describeMongo, freshDatabase, openPrepared } from '../../support/mongo/database.js'
import { startProcess } from '../../support/service/child-process.js'
import { draft, must } from '../../support/snippets.js'

const kills = 6

describeMongo('Several service processes on one MongoDB', engine => {
  it(`lose no acknowledged write and assign no id twice when killed ${kills} times while writing`, async function () {
    this.timeout(60_000)
    const database = freshDatabase(engine)
    const ledger = openLedger()
    const storage = await openPrepared(database.url)
    must(await storage.snippets.create(draft({ title: 'counter', code: '0' }))())
    await storage.close()
    const start = () => startProcess({ STORAGE: 'mongo', MONGODB_URL: database.url, ACCESS_LOG: 'off' })
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
        const service = await start()
        const before = ledger.created.length
        const ended = repeating(await serviceClients(service.url), writing)
        await eventually(() => ledger.created.length > before + 10)
        await pause((number * 37) % 150)
        service.kill('SIGKILL')
        await ended
        expect(await service.ended).to.include({ signal: 'SIGKILL' })
      }
    }
    await Promise.all([liveAndDie(), liveAndDie(), liveAndDie()])
    const last = await start()
    await repeating(await serviceClients(last.url), writing, () => ledger.repeating.size > 0)
    last.kill('SIGTERM')
    expect((await last.ended).code).to.equal(0)

    const stored = await database.db.collection<Row>('snippets').find().toArray()
    await database.drop()
    expect(audit(ledger, stored)).to.deep.equal({ lost: [], duplicateIds: [], unexpected: [] } satisfies Audit)
    const updates = ledger.counts.get(1n)?.set ?? []
    expect(updates).to.not.deep.equal([])
    const written = `${ledger.created.length} creations and ${updates.length} updates`
    console.log(`${' '.repeat(6)}${kills} kills, ${written} acknowledged, none lost`)
  })
})
