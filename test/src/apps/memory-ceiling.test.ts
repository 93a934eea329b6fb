import { expect } from 'chai'
import { bodyOf } from '../support/samples.js'
import { type ServiceProcess, startProcess } from '../support/service/child-process.js'

const clients = 8
/** Without a ceiling, as many as these in all take more than the heap. */
const creationsOfClient = 1000
/** After so many a client has seen enough. */
const refusalsOfClient = 20

// two bytes a character
const body = JSON.stringify(bodyOf({ title: 'large', code: '€'.repeat(10_000), language: 'text' }))

describe('The process with a heap of 100 MB, storage in memory', () => {
  let service: ServiceProcess
  before(async () => {
    service = await startProcess({ NODE_OPTIONS: '--max-old-space-size=100', ACCESS_LOG: 'off', MAX_DELAY_MS: '60000' })
  })
  after(() => service.kill('SIGKILL'))

  it('stays up under a flood of large creations, counts what it accepted, and goes on', async () => {
    const path = `${service.url}/api/snippets-viewset/`
    const create = async (): Promise<number> => {
      const answer = await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
      await answer.text()
      return answer.status
    }
    let created = 0
    const flood = async (): Promise<void> => {
      for (let [sent, refused] = [0, 0]; refused < refusalsOfClient; sent++) {
        expect(sent).to.be.below(creationsOfClient)
        const status = await create()
        expect(status).to.be.oneOf([201, 507])
        if (status === 201) created++
        else refused++
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
