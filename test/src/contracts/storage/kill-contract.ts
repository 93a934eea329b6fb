import type { Environment } from '@snippets/apps/settings/settings.js'
import { expect } from 'chai'
import { serviceClients } from '../../support/faults/client.js'
import { audit, openLedger } from '../../support/faults/ledger.js'
import { counting, creating, deleting, killWhileWriting, paced, repeating } from '../../support/faults/load.js'
import { startProcess } from '../../support/service/child-process.js'
import { draft, must } from '../../support/snippets.js'
import type { OpenStorage } from './storage-contract.js'
import { everything } from './stream.js'

export type KillHarness = Readonly<{
  /** How many processes of the service may use the data at the same time. */
  processes: number
  create: () => Promise<PersistentData>
}>

type PersistentData = Readonly<{
  /** The settings of a service on the data. */
  environment: Environment
  open: () => Promise<OpenStorage>
  remove: () => Promise<void>
}>

/** 100 kills take some minutes. */
const kills = Number(process.env.KILLS ?? 2)

/** Tests the demands of the ports on a persistent storage whose process is killed while it writes. */
export const killContract = (name: string, { processes, create }: KillHarness): void => {
  describe(`A service on ${name} that is killed while it writes`, () => {
    it(`loses no acknowledged write, repeats no id, and creates once for each key, in ${kills} kills`, async function () {
      this.timeout(30_000 + kills * 30_000)
      const { environment, open, remove } = await create()
      const ledger = openLedger()
      const seeds = Array.from({ length: 2 + 100 * kills }, (_, i) => draft({ title: `seed ${i}`, code: '0' }))
      const seeded = await open()
      const rows = (await Promise.all(seeds.map(seed => seeded.snippets.create(seed)()))).map(must)
      await seeded.close()
      const [first, second] = rows.map(({ id }) => id)
      if (first === undefined || second === undefined) throw new Error('there are no counters')

      const start = () => startProcess({ ...environment, ACCESS_LOG: 'off' })
      const steps = [
        ...Array.from({ length: 6 }, () => creating(ledger)),
        // so that rows are left to delete at the last kill
        paced(deleting(ledger, rows.slice(2))),
        counting(ledger, first, 'PUT'),
        counting(ledger, second, 'PATCH'),
      ]
      let killed = 0
      const runUntilKilled = async (): Promise<void> => {
        while (killed < kills) {
          const number = killed++
          await killWhileWriting(await start(), steps, (number * 37) % 150)
        }
      }
      await Promise.all(Array.from({ length: processes }, runUntilKilled))
      const last = await start()
      await repeating(await serviceClients(last.url), [creating(ledger)], () => ledger.repeating.size > 0)
      last.kill('SIGTERM')
      expect((await last.ended).code).to.equal(0)

      const reopened = await open()
      const stored = await everything(reopened.snippets)
      await reopened.close()
      await remove()
      for (const violations of Object.values(audit(ledger, stored))) expect(violations).to.deep.equal([])
      const keyed = [...ledger.creations].filter(([, outcome], serial) => serial % 2 === 1 && outcome === 'done')
      expect(keyed).to.have.length(Math.floor(ledger.creations.size / 2))
      const updates = [...ledger.counts.values()].reduce((sum, { set }) => sum + set.length, 0)
      expect(updates).to.be.above(0)
    })
  })
}
