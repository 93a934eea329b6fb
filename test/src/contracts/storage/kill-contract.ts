import { setTimeout as pause } from 'node:timers/promises'
import type { Environment } from '@snippets/apps/settings/setting-parsers.js'
import { expect } from 'chai'
import { eventually } from '../../support/eventually.js'
import { finishCreations, repeatWrites, serviceClients } from '../../support/faults/client.js'
import { audit, counter, openLedger } from '../../support/faults/ledger.js'
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
      const first = await open()
      const { id: counterId } = must(await first.snippets.create(draft(counter))())
      await first.close()

      const ledger = openLedger()
      const { created, counts, deletions, repeating } = ledger
      const quiet = { ...environment, ACCESS_LOG: 'off' }
      /** Kills the service after each kind of write has succeeded. */
      const killWhileWriting = async (afterMs: number): Promise<void> => {
        const { url, kill, ended } = await startProcess(quiet)
        const before = [created.length, counts.set.length, deletions.size]
        const writing = repeatWrites(serviceClients(url), { ledger, counterId })
        const haveGrown = () => [created.length - 20, counts.set.length - 2, deletions.size - 2]
        await eventually(() => haveGrown().every((count, i) => count > (before[i] ?? 0)), 30_000)
          .then(() => pause(afterMs))
          .finally(() => kill('SIGKILL'))
        await writing
        expect(await ended).to.include({ signal: 'SIGKILL' })
      }
      let killed = 0
      const runUntilKilled = async (): Promise<void> => {
        while (killed < kills) await killWhileWriting((killed++ * 37) % 150)
      }
      await Promise.all(Array.from({ length: processes }, runUntilKilled))
      expect(await finishCreations(quiet, ledger, counterId)).to.equal(0)
      expect(repeating.size).to.equal(0)

      const reopened = await open()
      const stored = await everything(reopened.snippets)
      await reopened.close()
      await remove()
      for (const violations of Object.values(audit(ledger, stored))) expect(violations).to.deep.equal([])
    })
  })
}
