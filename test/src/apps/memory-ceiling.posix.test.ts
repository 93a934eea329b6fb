import { expect } from 'chai'
import { bodyOf } from '../support/samples.js'
import { type ServiceProcess, startProcess } from '../support/service/child-process.js'

const clients = 8
/** Without a ceiling, this many creations exceed the heap. */
const maxCreationsPerClient = 500
/** A client stops after this many rejections. */
const rejectionsPerClient = 5

/** The largest snippet: V8 stores each of these characters in four bytes. */
const body = Buffer.from(JSON.stringify(bodyOf({ title: 'large', code: '😀'.repeat(10_000), language: 'text' })))

describe('A process with a heap of 100 MB and storage in memory', () => {
  let service: ServiceProcess | undefined
  after(() => service?.kill('SIGKILL'))

  it('rejects creations with 507 at the ceiling, keeps the accepted ones, and accepts more after a delete', async () => {
    service = await startProcess({ NODE_OPTIONS: '--max-old-space-size=100', ACCESS_LOG: 'off' })
    const path = `${service.url}/api/snippets-viewset/`
    const create = async (): Promise<number> => {
      const response = await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
      await response.text()
      return response.status
    }
    let created = 0
    const flood = async (): Promise<void> => {
      for (let [sent, rejected] = [0, 0]; rejected < rejectionsPerClient; sent++) {
        expect(sent).to.be.below(maxCreationsPerClient)
        const status = await create()
        expect(status).to.be.oneOf([201, 507])
        if (status === 201) created++
        else rejected++
      }
    }
    await Promise.all(Array.from({ length: clients }, flood))

    const { count } = JSON.parse(await (await fetch(`${path}?page_size=1&ordering=-title`)).text())
    expect(count).to.equal(created).and.to.be.greaterThan(clients)
    expect((await fetch(`${path}3/`, { method: 'DELETE' })).status).to.equal(204)
    expect(await create()).to.equal(201)
    service.kill('SIGTERM')
    expect((await service.ended).code).to.equal(0)
  }).timeout(60_000)
})
