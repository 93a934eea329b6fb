import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { type ServiceClient, serviceClients } from '../../support/faults/client.js'
import { type Audit, audit, type Ledger, openLedger, type Row } from '../../support/faults/ledger.js'
import { counting, creating, type Step } from '../../support/faults/load.js'
import { describeMongo, freshDatabase, openPrepared, type TestDatabase } from '../../support/mongo/database.js'
import { type ServiceProcess, startProcess } from '../../support/service/child-process.js'
import { draft, must } from '../../support/snippets.js'

const kept: Audit = { lost: [], duplicateIds: [], unexpected: [] }

describeMongo('Several service processes on one MongoDB', engine => {
  let database: TestDatabase
  let ledger: Ledger
  let services: ServiceProcess[]

  beforeEach(async () => {
    database = freshDatabase(engine)
    ledger = openLedger()
    services = []
    const storage = await openPrepared(database.url)
    must(await storage.snippets.create(draft({ title: 'counter', code: '0' }))())
    await storage.close()
  })

  afterEach(async () => {
    for (const { kill } of services) kill('SIGKILL')
    await Promise.all(services.map(({ ended }) => ended))
    await database.drop()
  })

  const start = async (): Promise<ServiceProcess> => {
    const service = await startProcess({ STORAGE: 'mongo', MONGODB_URL: database.url, ACCESS_LOG: 'off' })
    services.push(service)
    return service
  }

  const auditAll = async (): Promise<Audit> =>
    audit(ledger, await database.db.collection<Row>('snippets').find().toArray())

  const counted = (): readonly number[] => ledger.counts.get(1n)?.set ?? []

  /** Two clients that create and two that count, until they must stop or the service is gone. */
  const load = async (newClient: () => ServiceClient, mayGoOn: () => boolean): Promise<void> => {
    const work = async (stepOf: (client: ServiceClient) => Step): Promise<void> => {
      const client = newClient()
      const step = stepOf(client)
      while (mayGoOn() && (await step()) !== 'cut');
      client.close()
    }
    await Promise.all([
      work(client => creating(client, ledger)),
      work(client => creating(client, ledger)),
      work(client => counting(client, ledger, 1n, 'PUT')),
      work(client => counting(client, ledger, 1n, 'PATCH')),
    ])
  }

  it('assign no id twice and lose no update', async () => {
    await Promise.all([start(), start(), start()])
    const isEnough = () => ledger.created.length >= 300 && counted().length >= 100
    await Promise.all(services.map(async ({ url }) => load(await serviceClients(url), () => !isEnough())))
    expect(await auditAll()).to.deep.equal(kept)
    const ids = ledger.created.map(({ id }) => BigInt(id))
    expect(new Set(ids).size).to.equal(ledger.created.length)
    expect([...counted()].sort((a, b) => a - b)).to.deep.equal(counted().map((_, i) => i + 1))
  })

  it('lose no acknowledged write and assign no id twice when killed 20 times while writing', async function () {
    this.timeout(120_000)
    let kills = 0
    const liveAndDie = async (): Promise<void> => {
      while (kills < 20) {
        const number = ++kills
        const service = await start()
        const newClient = await serviceClients(service.url)
        const before = ledger.created.length
        const ended = load(newClient, () => true)
        while (ledger.created.length === before) await pause(5)
        await pause((number * 37) % 150)
        service.kill('SIGKILL')
        await ended
        expect(await service.ended).to.include({ signal: 'SIGKILL' })
      }
    }
    await Promise.all([liveAndDie(), liveAndDie(), liveAndDie()])
    const { url } = await start()
    await load(await serviceClients(url), () => ledger.repeating.size > 0)
    expect(await auditAll()).to.deep.equal(kept)
    console.log(
      `${' '.repeat(6)}${kills} kills, ${ledger.created.length} creations and ${counted().length} updates acknowledged, none lost`,
    )
  })
})
