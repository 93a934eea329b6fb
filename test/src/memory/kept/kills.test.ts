import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { type ServiceClient, serviceClients } from '../../support/faults/client.js'
import { type Audit, audit, type Ledger, openLedger, type Row } from '../../support/faults/ledger.js'
import { counting, creating, deleting, type Step } from '../../support/faults/load.js'
import { httpClient } from '../../support/http/http-client.js'
import { snippetsOf } from '../../support/http/representations.js'
import { directories } from '../../support/kept.js'
import { type ServiceProcess, startProcess } from '../../support/service/child-process.js'

/** 100 take one to three minutes. */
const kills = Number(process.env.KILLS ?? 10)

const seeds = 2 + 40 * kills

describe('A service with DATA_DIR that is killed while it writes', () => {
  const newDirectory = directories()
  let directory: string
  let ledger: Ledger

  const start = () => startProcess({ DATA_DIR: directory, ACCESS_LOG: 'off' })

  const rowsOf = async ({ url }: ServiceProcess): Promise<readonly Row[]> => {
    const client = httpClient(url)
    const rows = snippetsOf(await client.get('/api/snippets/'))
    client.close()
    return rows.map(({ id, title, code }) => ({ _id: BigInt(id), title, code }))
  }

  const seed = async (): Promise<readonly Row[]> => {
    const service = await start()
    const client = httpClient(service.url)
    for (let i = 0; i < seeds; i++) {
      const content = { title: i < 2 ? `counter ${i + 1}` : `seed ${i}`, code: '0', language: 'load' }
      const post = () => client.post('/api/snippets/', content, { 'Idempotency-Key': `seed-${i}` })
      // a slow disk may answer 503
      while ((await post()).status !== 201) await pause(100)
    }
    client.close()
    const rows = await rowsOf(service)
    service.kill('SIGTERM')
    await service.ended
    return rows
  }

  /** Clients that create, delete and count until the service is gone. */
  const load = async ({ url }: ServiceProcess, deletable: readonly Row[]): Promise<void> => {
    const newClient = await serviceClients(url)
    const work = async (stepOf: (client: ServiceClient) => Step): Promise<void> => {
      const client = newClient()
      const step = stepOf(client)
      while ((await step()) !== 'cut');
      client.close()
    }
    await Promise.all([
      ...Array.from({ length: 6 }, () => work(client => creating(client, ledger))),
      work(client => slowly(deleting(client, ledger, deletable))),
      work(client => counting(client, ledger, 1n, 'PUT')),
      work(client => counting(client, ledger, 2n, 'PATCH')),
    ])
  }

  /** Repeats the creations with a key that have not succeeded yet. */
  const finish = async ({ url }: ServiceProcess): Promise<void> => {
    const client = (await serviceClients(url))()
    const step = creating(client, ledger)
    while (ledger.repeating.size > 0) await step()
    client.close()
  }

  it(`loses no acknowledged write, assigns no id twice and creates once for each key, ${kills} times`, async function () {
    this.timeout(20_000 + kills * 5000)
    directory = await newDirectory()
    ledger = openLedger()
    const deletable = (await seed()).slice(2)
    for (let i = 0; i < kills; i++) {
      const service = await start()
      const before = ledger.created.length
      const ended = load(service, deletable)
      while (ledger.created.length === before) await pause(5)
      await pause((i * 37) % 150)
      service.kill('SIGKILL')
      await ended
      expect(await service.ended).to.include({ signal: 'SIGKILL' })
    }
    const last = await start()
    await finish(last)
    const rows = await rowsOf(last)
    last.kill('SIGTERM')
    expect((await last.ended).code).to.equal(0)
    expect(audit(ledger, rows)).to.deep.equal({ lost: [], duplicateIds: [], unexpected: [] } satisfies Audit)
    expect(ledger.created.length).to.be.above(kills)
    const keyed = [...ledger.creations].filter(([, outcome], serial) => serial % 2 === 1 && outcome === 'done')
    expect(keyed).to.have.length(Math.floor(ledger.creations.size / 2))
    const updates = [...ledger.counts.values()].reduce((sum, { set }) => sum + set.length, 0)
    console.log(
      `${' '.repeat(6)}${kills} kills, ${ledger.created.length} creations, ${ledger.deletions.size} deletions and ${updates} updates, none lost`,
    )
  })
})

/** So that there is something left to delete at the last kill. */
const slowly =
  (step: Step): Step =>
  async () => {
    await pause(10)
    return step()
  }
