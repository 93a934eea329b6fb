import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { generated } from '../../contracts/http/workspace.js'
import { eventually } from '../../support/eventually.js'
import { describeMongo, freshDatabase, openPrepared } from '../../support/mongo/database.js'
import { proxyTo } from '../../support/mongo/tcp-proxy.js'
import { startProcess } from '../../support/service/child-process.js'
import { type Asked, type AskedOutcome, openLoop } from './open-loop.js'

const promisedMs = 2500
/** Updates offered per second during an outage. Fewer come where this machine cannot send as many. */
const rate = Number(process.env.OUTAGE_RATE ?? 3000)
const outageMs = 3000
// what the engine of these tests carries on two shared cores, with room to catch up
const usualRate = Math.min(80, rate)
/** A little less than the connections that the service takes. */
const connections = Math.min(2 * rate, 3800)

type Row = Readonly<{ _id: bigint; version: number }>

const rows = Array.from({ length: 1000 }, (_, i) => ({
  _id: BigInt(i + 1),
  ...{ title: `row ${i + 1}`, code: 'a code', language: 'a language' },
  created_at: new Date(i),
  version: 1,
}))
const idOf = (serial: number): number => (serial % rows.length) + 1

describeMongo('Under pressure, with its database away, the service', engine => {
  it(`answers ${rate} updates a second in time, loses none, makes none twice, and works again after it`, async function () {
    this.timeout(60_000)
    const { url, db, drop } = freshDatabase(engine)
    const storage = await openPrepared(url)
    await storage.close()
    await db.collection<Row>('snippets').insertMany(rows)
    const proxy = await proxyTo(url)
    const service = await startProcess({ STORAGE: 'mongo', MONGODB_URL: proxy.url, ACCESS_LOG: 'off' })
    const { host } = new URL(service.url)
    const load = await openLoop(service.url, connections, serial => {
      const body = JSON.stringify({ code: `code ${serial}` })
      const head = `PATCH ${generated}${idOf(serial)}/ HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json`
      return `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    })
    const oneSucceeds = (since: number) =>
      eventually(() => load.asked.some(({ outcome, startedAt }) => outcome === 'done' && startedAt > since))
    try {
      load.setRate(usualRate)
      await oneSucceeds(0)
      load.setRate(rate)
      const start = performance.now()
      proxy.start('black hole')
      await pause(outageMs)
      await proxy.restore()
      const end = performance.now()
      await oneSucceeds(end)
      const recoveryMs = performance.now() - end
      load.setRate(usualRate)
      await pause(1000)
      await load.stop()

      const slowest = Math.max(...load.asked.map(({ ms }) => ms))
      // the time at which the client was not there to read is not the service's
      expect(slowest - load.lateMs()).to.be.below(promisedMs)
      const outcomes = countsOf(load.asked)
      expect(outcomes.cut).to.equal(0)
      expect(outcomes.unapplied).to.be.above(0)
      expect(wrongRows(load.asked, await db.collection<Row>('snippets').find().toArray())).to.deep.equal([])
      const offered = load.asked.filter(({ startedAt }) => startedAt > start && startedAt < end).length / outageMs
      const times = `slowest answer ${Math.round(slowest)} ms, recovery ${Math.round(recoveryMs)} ms`
      console.log(`${' '.repeat(6)}${Math.round(offered * 1000)} updates/s, ${times}`, outcomes)
    } finally {
      service.kill('SIGKILL')
      await service.ended
      await load.stop()
      proxy.close()
      await drop()
    }
  })
})

const countsOf = (asked: readonly Asked[]): Record<AskedOutcome, number> => {
  const counts = { done: 0, unapplied: 0, unknown: 0, cut: 0 }
  for (const { outcome } of asked) counts[outcome]++
  return counts
}

/** Rows that have lost an acknowledged update, or have one too many: the version tells how many each has. */
const wrongRows = (asked: readonly Asked[], stored: readonly Row[]): readonly Row[] =>
  stored.filter(({ _id, version }) => {
    const own = countsOf(asked.filter(({ serial }) => idOf(serial) === Number(_id)))
    const applied = version - 1
    return applied < own.done || applied > own.done + own.unknown + own.cut
  })
