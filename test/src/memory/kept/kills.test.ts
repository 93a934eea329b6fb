import { setTimeout as pause } from 'node:timers/promises'
import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import { everything } from '../../contracts/storage/stream.js'
import { serviceClients } from '../../support/faults/client.js'
import { type Audit, audit, openLedger } from '../../support/faults/ledger.js'
import { counting, creating, deleting, killWhileWriting, repeating, type StepOf } from '../../support/faults/load.js'
import { startProcess } from '../../support/service/child-process.js'
import { draft, must } from '../../support/snippets.js'
import { directories, openKept } from '../../support/storage/kept.js'

/** 100 take one to three minutes. */
const kills = Number(process.env.KILLS ?? 4)

const rowOf = ({ id, title, code }: Snippet) => ({ _id: id, title, code })

/** So that there is something left to delete at the last kill. */
const slowly =
  (stepOf: StepOf): StepOf =>
  client =>
  async () => {
    await pause(10)
    return stepOf(client)()
  }

describe('A service with DATA_DIR that is killed while it writes', () => {
  const newDirectory = directories()

  it(`loses no acknowledged write, assigns no id twice and creates once for each key, ${kills} times`, async function () {
    this.timeout(20_000 + kills * 5000)
    const directory = await newDirectory()
    const ledger = openLedger()
    const seeds = Array.from({ length: 2 + 40 * kills }, (_, i) => draft({ title: `seed ${i}`, code: '0' }))
    const seeded = await openKept(directory)
    const rows = (await Promise.all(seeds.map(seed => seeded.snippets.create(seed)()))).map(must).map(rowOf)
    await seeded.close()

    const start = () => startProcess({ DATA_DIR: directory, ACCESS_LOG: 'off' })
    for (let i = 0; i < kills; i++) {
      const steps = [
        ...Array.from({ length: 6 }, () => creating(ledger)),
        slowly(deleting(ledger, rows.slice(2))),
        counting(ledger, 1n, 'PUT'),
        counting(ledger, 2n, 'PATCH'),
      ]
      await killWhileWriting(await start(), ledger, steps, (i * 37) % 150)
    }
    const last = await start()
    await repeating(await serviceClients(last.url), [creating(ledger)], () => ledger.repeating.size > 0)
    last.kill('SIGTERM')
    expect((await last.ended).code).to.equal(0)

    const left = await openKept(directory)
    const stored = (await everything(left.snippets)).map(rowOf)
    await left.close()
    expect(audit(ledger, stored)).to.deep.equal({ lost: [], duplicateIds: [], unexpected: [] } satisfies Audit)
    const keyed = [...ledger.creations].filter(([, outcome], serial) => serial % 2 === 1 && outcome === 'done')
    expect(keyed).to.have.length(Math.floor(ledger.creations.size / 2))
    const updates = [...ledger.counts.values()].reduce((sum, { set }) => sum + set.length, 0)
    const written = `${ledger.created.length} creations, ${ledger.deletions.size} deletions and ${updates} updates`
    console.log(`${' '.repeat(6)}${kills} kills, ${written}, none lost`)
  })
})
